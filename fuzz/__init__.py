# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged files by the thousand: every one must be read, or be refused with an error of ours.

`python -m fuzz` draws cases from a seed: a sound file, some mutations, and something to do with the result. Processes
of their own work through them under limits of time and memory; what fails is saved, as small as it still fails.
"""
