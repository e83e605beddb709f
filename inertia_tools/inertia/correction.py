# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A corrected description, and the record of its changes."""

from __future__ import annotations

import difflib
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from inertia_tools.description.encoding import CODECS, UTF8
from inertia_tools.description.files import files_of
from inertia_tools.description.types import Description
from inertia_tools.errors import WriteError
from inertia_tools.inertia.compute import UNITS, LinkInertial
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.moved_document import lost_files
from inertia_tools.inertia.repair import Repair
from inertia_tools.inertia.report import LinkReport, Report
from inertia_tools.inertial import Inertial
from inertia_tools.write.target import file_of, is_stream
from inertia_tools.write.whole import write_files

LOG = logging.getLogger(__name__)

MOST_LOST = 3
"""Files listed in a message."""

LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line of a diff; Python's own splitting would also end one at a form feed or a carriage return."""

NO_NEWLINE = "\n\\ No newline at end of file\n"
"""What follows a last line without a line break."""


@dataclass(frozen=True, eq=False)
class Correction:
    """A corrected description and the record of its changes.

    Attributes:
        robot: The description before the correction.
        corrected: The description after it; the same object if nothing changed.
        changes: The repairs made, by link name.
        report: Findings before the correction, with `corrected` and `changed` filled, and the assumptions made.
        after: The report of the corrected description.
    """

    robot: Description
    corrected: Description
    changes: Mapping[str, Repair]
    report: Report
    after: Report

    @property
    def data(self) -> bytes:
        """The corrected document, in the encoding of the original."""
        return self.corrected.document.stored

    @property
    def text(self) -> str:
        """The corrected document as text."""
        return self.corrected.document.data.decode("utf-8", errors="replace")

    @property
    def is_complete(self) -> bool:
        """No error is left."""
        return self.after.worst is not Severity.ERROR

    @property
    def suspected_geometry(self) -> tuple[Finding, ...]:
        """Findings, one per link, that the geometry used for its new numbers is in another unit."""
        return tuple(self._suspected_geometry())

    def _suspected_geometry(self) -> Iterator[Finding]:
        for name, repair in self.changes.items():
            if repair.from_geometry is not None:
                findings = (*self.after[name].findings, *repair.from_geometry.notes)
                yield from [finding for finding in findings if finding.code == UNITS][:1]

    @property
    def included(self) -> Mapping[str, bytes]:
        """Changed files that the document includes, by name."""
        return self.corrected.document.replaced

    def diff(self) -> str:
        """Return a unified diff from the original documents; empty if nothing changed."""
        return "".join(text for text, _ in self._diffs())

    @property
    def patch(self) -> bytes:
        """That diff as `patch` applies it: each file in its own encoding; those in wide characters as UTF-8."""
        return b"".join(
            text.encode(UTF8 if codec in CODECS.values() else codec or UTF8, errors="replace")
            for text, codec in self._diffs()
        )

    def _diffs(self) -> Iterator[tuple[str, str]]:
        """Iterate over the differences of the files, each with the encoding of the file."""
        document = self.robot.document
        before = document.data if self.robot.usd is None else b""  # a layer over a stage is all new
        if self.corrected is not self.robot:
            yield _diff(document.name, before, self.corrected.document.data), document.codec
        for name, data in self.included.items():
            assert self.robot.mjcf is not None
            old = self.robot.mjcf.files[name]
            yield _diff(name, old.data, data), old.codec

    def require_one_file(self) -> None:
        """Check that only the document itself changed, so that it can be saved elsewhere.

        Raises:
            WriteError: Included files changed too.
        """
        if self.included:
            files = ", ".join(self.included)
            raise WriteError(f"bodies in included files were corrected ({files}); write in place (--in-place)")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the corrected document completely or not at all: a failure leaves an existing file unchanged.

        Changed included files are written in place, which requires that the document is written in place too. A warning
        names files that the document refers to and that are not found from its new folder.

        Raises:
            WriteError: A file cannot be written, or it is the xacro that the document was made from, or another file of
                the robot, or included files changed and the document is to be saved elsewhere.
        """
        target, source = file_of(path), self.robot.document
        is_in_place = source.path is not None and target.resolve() == source.path.resolve()
        if not is_in_place:
            self.require_one_file()
        elif source.generated:
            raise WriteError(
                f"{path} is a xacro file; the correction applies to its expansion, write it to another file"
            )
        elif is_stream(target):
            raise WriteError(f"{path} is not a regular file and cannot be corrected in place; write to another file")
        files = {Path(name): self._stored(name, data) for name, data in self.included.items()} | {
            target: self._data_for(target)
        }
        written = {file.resolve() for file in files} if is_in_place else set()
        write_files(files, inputs=[file for file in set(files_of(self.robot)) if file.resolve() not in written])
        if not (is_in_place or is_stream(target)) and (lost := lost_files(self.corrected, target)):
            names = f"{'; '.join(lost[:MOST_LOST])}{' and others' if len(lost) > MOST_LOST else ''}"
            LOG.warning("%s is in another folder than %s, and lacks there: %s", path, source.path, names)

    def _stored(self, name: str, data: bytes) -> bytes:
        """Return the new content of an included file in its original encoding."""
        assert self.robot.mjcf is not None
        return replace(self.robot.mjcf.files[name], data=data).stored

    def _data_for(self, target: Path) -> bytes:
        """Return the bytes to write; a layer over a stage refers to it by a path relative to the layer.

        If nothing changed, an empty layer is written, so that scripts find a stage at the requested path.

        Raises:
            WriteError: A layer would replace its own stage, or have another form than text.
        """
        source = self.robot.document.path
        if self.robot.usd is None or source is None or is_stream(target):
            return self.data
        is_unchanged = self.corrected is self.robot
        if is_unchanged and target.resolve() == source.resolve():
            return self.data
        if target.resolve() == source.resolve() or target.suffix != ".usda":
            other = source.with_suffix(".corrected.usda").name
            raise WriteError(
                f"the correction of USD is a text layer over {source}; write it to another file, -o {other}"
            )
        from inertia_tools.write.usd import override_layer, placed_layer  # imported here, as the format readers are

        usd = self.robot.usd
        layer = override_layer(usd.stage, {}, usd.units, source) if is_unchanged else self.data
        return placed_layer(layer, source, target)


def _diff(name: str, before: bytes, after: bytes) -> str:
    """Return a unified diff of one file, as `patch` reads it."""
    old, new = (LINE.findall(data.decode("utf-8", errors="replace")) for data in (before, after))
    lines = difflib.unified_diff(old, new, name, f"{name} (corrected)")
    return "".join(line if line.endswith("\n") else f"{line}{NO_NEWLINE}" for line in lines)


def merged_report(before: Report, after: Report, changes: Mapping[str, Repair]) -> Report:
    """Add the result of the correction for each link to the first report."""
    links = tuple(
        _merged_link(old, new, changes.get(old.link)) for old, new in zip(before.links, after.links, strict=True)
    )
    return replace(before, links=links)


def _merged_link(old: LinkReport, new: LinkReport, repair: Repair | None) -> LinkReport:
    if repair is None:
        return replace(old, corrected=old.effective)
    findings = most_severe_first([*old.findings, *_assumption(old, repair)])
    stated = new.declared or new.effective
    if stated is None or stated.inertial is None:  # some of its numbers are still missing
        return replace(old, changed=True, findings=findings)
    details = repair.from_geometry
    corrected = replace(
        details if details is not None else LinkInertial(old.link, None, repair.method),
        inertial=stated.inertial,
        method=repair.method,
        notes=(),
    )
    return replace(old, corrected=corrected, changed=_differs(old, stated.inertial), findings=findings)


def _assumption(old: LinkReport, repair: Repair) -> Iterator[Finding]:
    if repair.is_assumed:
        severity, code = Severity.WARNING, "assumed-inertial"
        yield replace(old.findings[0], severity=severity, code=code, link=old.link, message=repair.reason)


def _differs(old: LinkReport, becomes: Inertial) -> bool:
    if old.declared is None or old.declared.inertial is None:
        return True
    was = old.declared.inertial
    return not (
        was.mass == becomes.mass
        and np.array_equal(was.com, becomes.com)
        and np.array_equal(was.inertia, becomes.inertia)
    )
