# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""demo.launch.py as it comes: the broken quadruped is corrected, handed on, and stands."""

import launch_testing
import launch_testing.markers
import launched
import pytest

from inertia_tools.msg import BodyStates, ContactForces


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    return launched.launched("demo.launch.py", real_time_factor="0.0")


class TestWhileRunning(launched.WithNode):
    """Looks at the running demo."""

    def test_robot_stands(self):
        states, contacts = [], []
        self.node.create_subscription(BodyStates, "/simulator/body_states", states.append, 10)
        self.node.create_subscription(ContactForces, "/simulator/contact_forces", contacts.append, 10)
        self.wait_for(lambda: states and states[-1].header.stamp.sec >= 2 and contacts, "two simulated seconds")
        self.assertEqual(len(states[-1].bodies), 17)
        self.assertLess(states[-1].kinetic_energy, 1e-2)
        upward = sum(
            contact.total.force.z * (1.0 if contact.body_b == "world" else -1.0) for contact in contacts[-1].contacts
        )
        self.assertGreater(upward, 50.0)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(launched.ProcessesEndWell):
    """Looks at how the processes ended."""
