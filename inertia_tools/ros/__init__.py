# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes: they translate between messages and the library, and compute nothing themselves.

Nothing outside this folder imports rclpy.
"""
