# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The substep of extended position-based dynamics: free motion, contacts, joints."""
