# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator against closed forms, beside MuJoCo and Newton; run as `python -m benchmarks.physics`."""
