# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A corrected description, and the account of how it came about."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from inertia_tools.description.files import files_of
from inertia_tools.description.types import Description
from inertia_tools.errors import WriteError
from inertia_tools.inertia.compute import UNITS, LinkInertial
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.repair import Repair
from inertia_tools.inertia.report import LinkReport, Report
from inertia_tools.inertial import Inertial
from inertia_tools.write.target import is_stream
from inertia_tools.write.whole import write_files


@dataclass(frozen=True, eq=False)
class Correction:
    """A corrected description and the account of how it came about.

    Attributes:
        robot: The description as it was.
        corrected: The description as it became; the same object when nothing changed.
        changes: What was done, by link name.
        report: Findings before the correction, with `corrected` and `changed` filled, and what had to be assumed.
        after: The report of the corrected description.
    """

    robot: Description
    corrected: Description
    changes: Mapping[str, Repair]
    report: Report
    after: Report

    @property
    def data(self) -> bytes:
        """The corrected document, in the encoding of the one that was read."""
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
        """Findings, one a link, that the geometry which its new numbers come from is in another unit."""
        return tuple(self._suspected_geometry())

    def _suspected_geometry(self) -> Iterator[Finding]:
        for name, repair in self.changes.items():
            if repair.from_geometry is not None:
                findings = (*self.after[name].findings, *repair.from_geometry.notes)
                yield from [finding for finding in findings if finding.code == UNITS][:1]

    @property
    def included(self) -> Mapping[str, bytes]:
        """The files that the document includes and that changed, by name."""
        return self.corrected.document.replaced

    def diff(self) -> str:
        """Return a unified diff from the documents as they were; empty when nothing changed."""
        document = self.robot.document
        before = document.data if self.robot.usd is None else b""  # a layer over a stage is all new
        changes = (
            [_diff(document.name, before, self.corrected.document.data)] if self.corrected is not self.robot else []
        )
        for name, data in self.included.items():
            assert self.robot.mjcf is not None
            changes.append(_diff(name, self.robot.mjcf.files[name].data, data))
        return "".join(changes)

    def require_one_file(self) -> None:
        """Check that nothing but the document itself changed, so that it can go elsewhere.

        Raises:
            WriteError: Included files changed too.
        """
        if self.included:
            files = ", ".join(self.included)
            raise WriteError(f"bodies that stand in included files were corrected ({files}); write in place")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the corrected document, all of it or nothing: a failure leaves an existing file as it was.

        Included files that changed are written in their own places, which is only done when the document is too.

        Raises:
            WriteError: A file cannot be written, or it is the xacro that the document was made from, or another file
                that the robot is made of, or included files changed and the document is to go elsewhere.
        """
        target, source = Path(path), self.robot.document
        is_in_place = source.path is not None and target.resolve() == source.path.resolve()
        if not is_in_place:
            self.require_one_file()
        elif source.generated:
            raise WriteError(f"{path} is a xacro; the expansion was corrected, write it to another file")
        elif is_stream(target):
            raise WriteError(f"{path} is no regular file, which could be corrected in place; write to another file")
        files = {Path(name): self._stored(name, data) for name, data in self.included.items()} | {
            target: self._data_for(target)
        }
        written = {file.resolve() for file in files} if is_in_place else set()
        write_files(files, inputs=[file for file in set(files_of(self.robot)) if file.resolve() not in written])

    def _stored(self, name: str, data: bytes) -> bytes:
        """Return the new content of an included file in the encoding of the old one."""
        assert self.robot.mjcf is not None
        return replace(self.robot.mjcf.files[name], data=data).stored

    def _data_for(self, target: Path) -> bytes:
        """Return what to write; a layer over a stage names that by its place seen from the layer's.

        Where nothing changed the layer says nothing, so that a script finds a stage with what it asked for.

        Raises:
            WriteError: A layer is to take the place of its stage, or to have another form than text.
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
        from inertia_tools.write.usd import override_layer, placed_layer  # here, as the readers of formats are

        usd = self.robot.usd
        layer = override_layer(usd.stage, {}, usd.units, source) if is_unchanged else self.data
        return placed_layer(layer, source, target)


def _diff(name: str, before: bytes, after: bytes) -> str:
    """Return a unified diff of one file."""
    old, new = (data.decode("utf-8", errors="replace").splitlines(keepends=True) for data in (before, after))
    return "".join(difflib.unified_diff(old, new, name, f"{name} (corrected)"))


def merged_report(before: Report, after: Report, changes: Mapping[str, Repair]) -> Report:
    """Add to the first report what became of each link."""
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
