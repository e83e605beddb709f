# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""`inertia-tools view FILE`: the robot in the browser, with joints, inertias, findings and a drop test."""

from __future__ import annotations

import argparse
import webbrowser

from inertia_tools.cli.arguments import whole_number
from inertia_tools.cli.next_step import next_command
from inertia_tools.cli.options import DESCRIPTION, add_geometry, add_reading, file_name, read
from inertia_tools.cli.report import shown_correction
from inertia_tools.inertia.correction_scope import SCOPES
from inertia_tools.view.robot_page import RobotPage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=file_name, metavar="FILE", help=DESCRIPTION)
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        default="invalid",
        help="links whose correction is shown: with an error, with an error or a warning, or all with geometry "
        "(default %(default)s)",
    )
    parser.add_argument(
        "--port", type=whole_number, default=8080, metavar="N", help="TCP port of the page (default %(default)s)"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="NAME",
        help="address to listen on (default: this machine only; 0.0.0.0: all networks)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, but open no browser")
    parser.add_argument("--fixed-base", action="store_true", help="fix the root link to the world in the drop test")
    add_reading(parser)
    add_geometry(parser)
    parser.epilog = "runs until Ctrl+C; exit codes: 0 stopped, 2 could not run"


def run(options: argparse.Namespace) -> int:
    """Serve the page until interrupted."""
    correction, note = shown_correction(read(options.file, options), options, quiet=options.quiet)
    page = RobotPage(correction, options.port, options.host, options.fixed_base)
    try:
        _say_where(page, note, options)
        page.serve(lambda: False)
    except KeyboardInterrupt:
        pass  # the usual way to end
    finally:
        page.close()
    return 0


def _say_where(page: RobotPage, note: str, options: argparse.Namespace) -> None:
    """Print the address of the page, and open it unless that is disabled."""
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{'localhost' if host == '127.0.0.1' else host}:{page.port}"
    print(f"{options.file}: {address} (stop with Ctrl+C)", flush=True)
    if not options.quiet:
        print(f"{note}\n" if note else "", end="")
        print(next_command("report", options.file, "-o", "report.html", options=options), flush=True)
    if not options.no_browser:
        webbrowser.open(address)
