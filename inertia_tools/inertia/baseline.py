# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Known findings: a report saved from an earlier check, so that only new findings count."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from inertia_tools.errors import ParseError
from inertia_tools.inertia.report import Report
from inertia_tools.inertia.report_json import SCHEMA
from inertia_tools.wording import not_opened


@dataclass(frozen=True)
class Baseline:
    """Known findings, each by file name, link and code; lines may have moved since."""

    known: frozenset[tuple[str, str, str]] = frozenset()

    @classmethod
    def read(cls, path: str) -> Baseline:
        """Read the output of `inertia-tools check --json`.

        Raises:
            ParseError: The file cannot be read, or is not such a report.
        """
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            if document.get("schema") != SCHEMA:
                raise ValueError(f"its schema is not {SCHEMA!r}")
            known = frozenset(
                (Path(file["file"]).name, link["link"], finding["code"])
                for file in document["files"]
                for link in [*file["links"], {"link": "", "findings": file.get("findings", [])}]
                for finding in link["findings"]
            )
        except OSError as error:
            command = f"inertia-tools check FILE --baseline {path} --update-baseline"
            raise ParseError(f"{not_opened(error)}; to write one: {command}", path) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"is not a report of check --json ({error}); name one, or a new file with --update-baseline"
            raise ParseError(reason, path) from error
        return cls(known)

    def without_known(self, file: str, report: Report) -> Report:
        """Return the report without the known findings."""
        name = Path(file).name
        return report.filtered(lambda finding: (name, finding.link, finding.code) not in self.known)
