# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a description to a document of another format."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from inertia_tools.conversion.account import Account, Kind, Note
from inertia_tools.conversion.extensions import Extensions, read_extensions
from inertia_tools.conversion.finite import with_usable_numbers
from inertia_tools.conversion.grounded import grounded, held_still
from inertia_tools.conversion.inertials import complete_stated, made_possible, note_refused, with_inertials
from inertia_tools.conversion.losses import note_losses
from inertia_tools.conversion.markup import NotFiniteError
from inertia_tools.conversion.scene import Emitter, Scene
from inertia_tools.conversion.stage_physics import with_stage_physics
from inertia_tools.conversion.unheld import note_unheld
from inertia_tools.conversion.upright import upright
from inertia_tools.description.files import files_of
from inertia_tools.description.format import FORMAT_OF_SUFFIX
from inertia_tools.description.joint import UNKNOWN_JOINT_TYPE
from inertia_tools.description.load import PathLike, load, read_document
from inertia_tools.description.lump import Lumped, MergedLink, lump_fixed_joints
from inertia_tools.description.source import Document
from inertia_tools.description.types import Description, Format, JointType
from inertia_tools.errors import ConversionError, OptionError, WriteError
from inertia_tools.inertia.correct import fix as correct
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.effective import resolve
from inertia_tools.write.target import file_of, is_stream
from inertia_tools.write.whole import write_files

EMITTERS = {
    Format.URDF: "inertia_tools.conversion.urdf:emit_urdf",
    Format.SDF: "inertia_tools.conversion.sdf:emit_sdf",
    Format.MJCF: "inertia_tools.conversion.mjcf:emit_mjcf",
    Format.USD: "inertia_tools.conversion.usd:emit_usd",
}
"""Module and function that writes each format; loaded on demand."""

MOVING = (Format.URDF, Format.MJCF)
"""Formats in which no link is static by itself: it moves as its joint permits."""


@dataclass(frozen=True, eq=False)
class Conversion:
    """A converted document, and the record of the conversion.

    Attributes:
        robot: The description as it was read.
        prepared: The description that was written: lumped, with every inertial in force declared. Its places are those
            of the source.
        format: The format of the document.
        data: The document.
        files: Content of further files by their path relative to the document.
        notes: Merged, assumed, renamed, carried-over and dropped elements.
        merged: Links merged into others.
        path: The file for which it was made; None for text.
    """

    robot: Description
    prepared: Description
    format: Format
    data: bytes
    notes: tuple[Note, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    merged: tuple[MergedLink, ...] = ()
    path: Path | None = None

    @cached_property
    def converted(self) -> Description:
        """The document as a description of its own, to check, correct or simulate; `files` have to be saved first."""
        source = self.robot.document
        name = f"<{self.format.value} of {source.name}>" if self.path is None else str(self.path)
        return read_document(Document(self.data, name, self.path, source.package_path), self.format)

    @property
    def text(self) -> str:
        """The document as text."""
        return self.data.decode("utf-8", "replace")

    def require_one_file(self) -> None:
        """Check that the document needs no other files, so that it can be sent without them.

        Raises:
            WriteError: It needs meshes that the source contains itself, or that are in a format which the target lacks.
        """
        if self.files:
            names = ", ".join(self.files)
            raise WriteError(
                f"{self.robot.document.name}: the result needs further files ({names}); write it to a file"
            )

    def noted(self, kind: Kind) -> tuple[Note, ...]:
        """Return the notes of one kind."""
        return tuple(note for note in self.notes if note.kind is kind)

    def save(self, path: PathLike) -> None:
        """Write the document and its further files, each completely or not at all.

        Raises:
            WriteError: A file cannot be written, or the robot was read from it; or the document needs further files and
                was not made for a file.
        """
        target = file_of(path)
        if is_stream(target):
            self.require_one_file()
        files = {target.resolve().parent / name: data for name, data in self.files.items()} | {target: self.data}
        write_files(files, make_folders=bool(self.files), inputs=files_of(self.robot))


@np.errstate(over="ignore", invalid="ignore")  # files may declare anything
def convert(
    robot: Description | Correction | PathLike,
    path: PathLike | None = None,
    *,
    format: Format | str | None = None,
    lump: bool | None = None,
    fix: bool = False,
    fixed_base: bool = False,
    sdf_version: str = "",
    package_path: Iterable[PathLike] = (),
    xacro_arguments: Mapping[str, str] | None = None,
    xacro: bool | None = None,
) -> Conversion:
    """Convert a robot to another format, and write it where a path is given.

    Every inertial is written as the numbers in force: declared, automatic, compiled, or by the rule if a link needs one
    and has none. Properties that the target cannot hold are noted; a conversion that would change the robot is refused.

    Args:
        robot: The description, the file to read it from, or a correction, which replaces `fix`.
        path: The file to write; its suffix selects the format (.urdf, .sdf, .world, .xml, .mjcf, .usd, .usda, .usdc).
            None writes nothing.
        format: The format, if the suffix does not select it.
        lump: Merge links that fixed joints connect; by default for SDFormat, from other formats.
        fix: Correct links with an error first, and make tensors that violate the triangle inequality by rounding
            exactly possible, so that all readers of the target accept them.
        fixed_base: Hold free roots to the world by fixed joints.
        sdf_version: The version of SDFormat to write; empty for 1.9, or 1.10 if added mass needs it and 1.11 if a mimic
            joint or cone does.
        package_path: Folders to search first for packages and models that a file names, if one is read.
        xacro_arguments: Values for the `<xacro:arg>` of a file, if one is read.
        xacro: Whether to expand a file that is read, which runs the code in it; by default where it is a `.xacro`.

    Raises:
        ConversionError: The target cannot hold a property without which the robot would change.
        OptionError: The format is unknown, or the version cannot be written.
        ParseError: The file cannot be read.
        WriteError: The file cannot be written.
    """
    target = _target(format, path)
    emit = _emitter(target)
    account = Account()
    if not isinstance(robot, (Description, Correction)):
        robot = load(robot, package_path=package_path, xacro_arguments=xacro_arguments, xacro=xacro)
    source, correction = _corrected(robot, fix=fix)
    corrected = source if correction is None else _noted(correction, account)
    extensions = read_extensions(corrected) if target is Format.SDF else Extensions()
    _refuse_unknown(source)
    wants_lumping = lump if lump is not None else target is Format.SDF and source.format is not Format.SDF
    stated = with_stage_physics(resolve(corrected), source.usd)
    usable = with_usable_numbers(stated, target, account)
    axis = "Z" if source.usd is None else source.usd.units.up_axis
    based = grounded(usable, account, fixed_base=fixed_base)
    still = held_still(based, account) if target in MOVING else based
    standing = upright(still, axis, target, account)
    ready = complete_stated(standing, account)
    lumped = _lumped(ready, extensions, account) if wants_lumping else Lumped(ready, ())
    final = with_inertials(lumped.robot, target, account)
    if correction is not None:
        final = made_possible(final, account)
    note_refused(final, account)
    place = None if path is None or is_stream(Path(path)) else Path(path)
    scene = Scene(final, place, lumped.merged, extensions, sdf_version, axis if target is Format.USD else "Z")
    try:
        written = emit(scene, account)
    except NotFiniteError as error:
        raise ConversionError(str(error), source.document.name) from error
    note_losses(source, target, account)
    note_unheld(replace(standing, joints=usable.joints), target, account)
    conversion = Conversion(source, final, target, written.data, tuple(account), written.files, lumped.merged, place)
    if path is not None:
        conversion.save(path)
    return conversion


def _corrected(robot: Description | Correction, *, fix: bool) -> tuple[Description, Correction | None]:
    """Return the description, and its correction if one is requested."""
    if isinstance(robot, Correction):
        return robot.robot, robot
    return robot, correct(robot) if fix else None


def _refuse_unknown(robot: Description) -> None:
    """Refuse a document without links, of several worlds, or with a joint of unknown type.

    Raises:
        ConversionError: It is such a document.
    """
    worlds = [model.name for model in robot.models if model.is_world]
    if worlds or not robot.links:
        reason = f"it has {len(worlds)} worlds; keep one" if worlds else "it has no link; add one"
        raise ConversionError(reason, robot.document.name)
    for remark in robot.remarks:
        if remark.code == UNKNOWN_JOINT_TYPE:
            raise ConversionError(remark.message, remark.place.file, remark.place.line)


def _target(format_: Format | str | None, path: PathLike | None) -> Format:
    """Return the format to write.

    Raises:
        OptionError: Neither the format nor the suffix is known.
    """
    known = ", ".join(format.value for format in EMITTERS)
    if format_ is not None:
        if format_ not in set(EMITTERS):
            raise OptionError("format", str(format_), f"one of {known}")
        return Format(format_)
    if path is None:
        raise OptionError("format", None, f"one of {known}, if no file is named")
    suffix = Path(path).suffix.lower()
    if suffix == ".usdz":
        raise OptionError("path", os.fspath(path), "a file named .usdc or .usda, as packages of files are not written")
    if suffix not in FORMAT_OF_SUFFIX:
        raise OptionError("path", os.fspath(path), "a file named " + ", ".join(FORMAT_OF_SUFFIX))
    return FORMAT_OF_SUFFIX[suffix]


def _emitter(target: Format) -> Emitter:
    module, _, name = EMITTERS[target].partition(":")
    emitter: Emitter = getattr(importlib.import_module(module), name)
    return emitter


def _noted(correction: Correction, account: Account) -> Description:
    """Note the corrected links, and return the description with them."""
    for name, repair in correction.changes.items():
        account.note(Kind.CHANGED, name, f"corrected: {repair.reason}", correction.robot.links[name].place)
    return correction.corrected


def _lumped(robot: Description, extensions: Extensions, account: Account) -> Lumped:
    """Lump links on fixed joints, and note the results."""
    kept = extensions.preserved | extensions.locked
    lumped = lump_fixed_joints(robot, kept)
    for one in lumped.merged:
        part = one.part.inertial
        said = "it adds no inertial" if part is None else f"it adds {part.mass:.6g} kg"
        message = f"is merged into {one.into!r} across the fixed joint {one.joint.name!r}; {said}"
        account.note(Kind.LUMPED, one.link, message, one.part.place)
        if part is not None and part.mass > 0.0 and not part.is_valid(tolerance=0.01):
            account.note(Kind.REFUSED, one.link, "no body can have the inertial that it adds", one.part.place)
        elif part is not None and part.mass < 0.0:
            account.note(Kind.REFUSED, one.link, f"it adds a mass of {part.mass:g} kg", one.part.place)
    for joint in lumped.robot.joints.values():
        if joint.type is JointType.FIXED and joint.name in kept:
            how = "as a joint held at zero" if joint.name in extensions.locked else "as a fixed joint"
            account.note(Kind.KEPT, joint.name, f"is kept, as the file requests, {how}", joint.place)
    return lumped
