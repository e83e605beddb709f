#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Start inertia_server in a graph that SROS2 secures: the operator gets an answer, a stranger gets none (docs/sros2.md).
# Run it with ROS 2, sros2 and this package sourced.
set -eu
share=$(ros2 pkg prefix --share inertia_tools)
place=$(mktemp -d)
cd "$place"
ros2 security create_keystore keystore
# The stranger belongs to the graph, and has the rights of a node that asks nobody.
sed 's/operator/stranger/; /<services request/,/<\/services>/d' \
  "$share/config/security/policy.xml" >stranger.xml
for node in inertia_server simulator operator; do
  ros2 security create_enclave keystore /inertia_tools/$node
  ros2 security create_permission keystore /inertia_tools/$node "$share/config/security/policy.xml"
done
ros2 security create_enclave keystore /inertia_tools/stranger
ros2 security create_permission keystore /inertia_tools/stranger stranger.xml
export ROS_SECURITY_KEYSTORE=$place/keystore ROS_SECURITY_ENABLE=true ROS_SECURITY_STRATEGY=Enforce

ros2 run inertia_tools inertia_server --ros-args --enclave /inertia_tools/inertia_server &
server=$!
trap 'kill $server; rm -rf "$place"' EXIT

ask() { # ENCLAVE
  timeout 60 python3 - "$1" <<'PYTHON'
import sys
import rclpy
from inertia_tools.srv import ValidateInertials

ROBOT = '<robot name="r"><link name="a"><inertial><mass value="-1"/></inertial></link></robot>'
rclpy.init(args=["--ros-args", "--enclave", f"/inertia_tools/{sys.argv[1]}"])
node = rclpy.create_node(sys.argv[1])
client = node.create_client(ValidateInertials, "/inertia_server/validate_inertials")
assert client.wait_for_service(timeout_sec=20.0), "no service"
request = ValidateInertials.Request()
request.model.text = ROBOT
future = client.call_async(request)
rclpy.spin_until_future_complete(node, future, timeout_sec=20.0)
assert future.done() and not future.result().valid, "no answer"
PYTHON
}
ask operator
echo "the operator got an answer"
if ask stranger; then
  echo "the stranger got an answer"
  exit 1
fi
if env -u ROS_SECURITY_ENABLE bash -c "$(declare -f ask); ask stranger"; then
  echo "a node outside of the secured graph got an answer"
  exit 1
fi
echo "nobody else did"
