# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import shutil
import subprocess

import pytest

from inertia_tools.cli import COMMANDS, command_parser, main
from inertia_tools.inertia.explanations import EXPLANATIONS


@pytest.fixture
def script(capsys):
    def made(shell: str) -> str:
        assert main(["completion", shell]) == 0
        return capsys.readouterr().out

    return made


def completed_by_bash(script: str, *words: str, folder=None) -> set[str]:
    """Return what bash offers for the last word."""
    quoted = " ".join(f"'{word}'" for word in words)
    program = f"{script}\ncompopt() {{ :; }}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _inertia_tools\n"
    program += 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, cwd=folder, check=True, timeout=60)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands_options_values_codes_and_files(script, tmp_path):
    text = script("bash")
    assert completed_by_bash(text, "inertia-tools", "") == {*COMMANDS, "--help", "--version"}
    assert completed_by_bash(text, "inertia-tools", "ch") == {"check"}
    assert completed_by_bash(text, "inertia-tools", "check", "--fail-on", "") == {"error", "warning", "info"}
    assert completed_by_bash(text, "inertia-tools", "check", "--fail-on", "=", "w") == {"warning"}
    assert completed_by_bash(text, "inertia-tools", "explain", "open") == {"open-mesh"}
    assert completed_by_bash(text, "inertia-tools", "check", "--ignore", "") == EXPLANATIONS.keys()
    assert completed_by_bash(text, "inertia-tools", "compute", "x.urdf", "--material", "st") == {
        "stainless-steel",
        "steel",
    }
    (tmp_path / "robot.urdf").touch()
    (tmp_path / "meshes").mkdir()
    assert completed_by_bash(text, "inertia-tools", "check", "", folder=tmp_path) == {"robot.urdf", "meshes"}
    assert completed_by_bash(text, "inertia-tools", "check", "--package-path", "", folder=tmp_path) == {"meshes"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_option_of_each_command_is_in_each_script(script, shell):
    text = script(shell)
    for name in COMMANDS:
        for action in command_parser(name)._actions:
            for option in action.option_strings:
                assert option in text or f"-l {option[2:]} " in text or f"-s {option[1:]} " in text, (name, option)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_the_script(script, shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(script(shell))
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=60)
    program = {
        "zsh": "autoload -U compinit; compinit -u -D; source $0; echo ${_comps[inertia-tools]}",
        "fish": "source script; complete -C 'inertia-tools check --fail-on w'",
    }[shell]
    command = [shell, *(["-f"] if shell == "zsh" else []), "-c", program, "script"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True, timeout=60)
    assert done.stdout.split()[0] == {"zsh": "_inertia-tools", "fish": "warning"}[shell]


def test_an_unknown_shell_is_refused():
    with pytest.raises(SystemExit):
        main(["completion", "tcsh"])
