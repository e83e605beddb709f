# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Write the pages of docs/reference, and the stubs of the package."""

from __future__ import annotations

from pathlib import Path

from documentation import codes, commands, interfaces, parameters, python_api, stubs

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"


def pages() -> dict[str, str]:
    """Return every generated page by the name of its file."""
    return {
        "interfaces.md": interfaces.page(ROOT),
        "parameters.md": parameters.page(),
        "commands.md": commands.page(),
        "codes.md": codes.page(),
        **python_api.pages(),
    }


if __name__ == "__main__":
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text)
        print(f"docs/reference/{name}: {len(text.splitlines())} lines")
    for path, text in stubs.stubs(ROOT).items():
        path.write_text(text)
        print(f"{path.relative_to(ROOT)}: {len(text.splitlines())} lines")
