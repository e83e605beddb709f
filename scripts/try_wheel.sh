#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install a wheel or an sdist into an empty environment without a compiler, and use it as a new user would.
# try_wheel.sh FILE [EXTRA...]     PYTHON=python3.12 chooses the interpreter
set -eu
file=$(realpath "$1")
shift
extras=$(echo "$*" | tr ' ' ',')
robot=$(realpath "$(dirname "$0")/../examples/broken_quadruped.urdf")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

# Nothing but the environment is on the path: no compiler, no ROS, no other Python packages.
here() {
  # shellcheck disable=SC2046  # settings of pip and of a proxy, which hold no blanks, are all that comes along
  env -i PATH="$place/env/bin" HOME="$place" WARP_CACHE_PATH="$place/kernels" \
    $(env | grep -E '^(PIP_|SSL_CERT|https?_proxy=|HTTPS?_PROXY=|no_proxy=|NO_PROXY=)' || true) "$@"
}
seconds() { # LABEL COMMAND...
  label=$1 start=$(date +%s%N)
  shift
  "$@"
  echo "$label: $((($(date +%s%N) - start) / 1000000)) ms"
}
fails_with() { # CODE COMMAND...
  wanted=$1 code=0
  shift
  "$@" >/dev/null || code=$?
  [ "$code" = "$wanted" ] || { echo "exit code $code, not $wanted: $*"; exit 1; }
}

"${PYTHON:-python3}" -m venv env
seconds "pip install $(basename "$file")${extras:+[$extras]}" here pip install --quiet --disable-pip-version-check "$file${extras:+[$extras]}"
here pip check
seconds "first check" fails_with 1 here inertia-tools check "$robot"
seconds "fix" here inertia-tools fix "$robot" -o fixed.urdf --quiet
seconds "check of the corrected robot" here inertia-tools check fixed.urdf --quiet
here inertia-tools convert fixed.urdf -o fixed.sdf --quiet
here inertia-tools report fixed.urdf -o report.html --quiet
here python -c 'import inertia_tools as it; assert it.check(it.load("fixed.urdf")).worst is not it.Severity.ERROR'
for extra in "$@"; do
  case $extra in
    sim) seconds "drop test, kernels compiled" here inertia-tools simulate fixed.urdf --seconds 1 --quiet ;;
    usd)
      here inertia-tools convert fixed.urdf -o fixed.usda --quiet
      here inertia-tools check fixed.usda --quiet ;;
    view) here python -c 'import inertia_tools.view.robot_page, viser' ;;
    ros) here python -c 'import rclpy; rclpy.init(); rclpy.create_node("probe").destroy_node()' ;;
  esac
done
[ $# -gt 0 ] || fails_with 2 here inertia-tools simulate fixed.urdf # it names what to install
echo "$(basename "$file")${extras:+[$extras]} works on $(here python --version)"
