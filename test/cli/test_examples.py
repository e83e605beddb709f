# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The examples in `--help` are commands that there are, with options that they have."""

import shlex

import pytest

from inertia_tools.cli import COMMANDS, command_parser
from inertia_tools.cli.examples import EXAMPLES


def test_every_command_has_an_example():
    assert EXAMPLES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples_that_the_command_takes(command):
    parser = command_parser(command)
    for words, comment in EXAMPLES[command]:
        parser.parse_args(shlex.split(words))
        assert f"inertia-tools {command} {words}".rstrip() in parser.format_help()
        assert comment in parser.format_help()
