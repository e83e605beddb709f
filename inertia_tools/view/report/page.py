# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The page: findings of each robot and their correction, inserted into the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from inertia_tools import __version__
from inertia_tools.description.files import files_of
from inertia_tools.errors import MissingDependencyError
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.explanations import EXPLANATIONS, Explanation
from inertia_tools.inertia.finding import Severity
from inertia_tools.view.report.rows import FindingRow, LinkRow, Tile, finding_rows, link_rows, tiles
from inertia_tools.view.report.scene import robot_scene
from inertia_tools.wording import counted

FOLDER = Path(__file__).with_name("page")
TEMPLATE = "report.html"

MOST_TRIANGLES = 60_000
"""Default maximum number of triangles per robot in a page: about 400 kB of text."""

MOST_OF_ALL = 600_000
"""Maximum number of triangles of all robots of a page together."""


@dataclass(frozen=True, eq=False)
class RobotPage:
    """One robot of a page.

    Attributes:
        file: The file, as the user named it.
        name: The robot's name.
        format: Its format, in words.
        errors, warnings, infos: Findings of each severity, before the correction.
        errors_left: Errors after it.
        mass: Total mass after it, in words.
        tiles: The numbers at the top.
        findings: All findings.
        links: All links.
        explanations: Explanations of the findings' codes.
        command: The command that corrects the file; empty if there is nothing to correct.
        notes: Notes about omissions and failures.
        scene: The 3D scene, as JSON.
        sources: The files of the robot.
    """

    file: str
    name: str
    format: str
    errors: int
    warnings: int
    infos: int
    errors_left: int
    mass: str
    tiles: tuple[Tile, ...]
    findings: tuple[FindingRow, ...]
    links: tuple[LinkRow, ...]
    explanations: tuple[Explanation, ...]
    command: str
    notes: tuple[str, ...]
    scene: dict[str, Any]
    sources: tuple[str, ...] = ()

    @property
    def inspected(self) -> list[dict[str, Any]]:
        """The page's data for a selected link, as JSON."""
        return [asdict(row) for row in self.links]


@dataclass(frozen=True)
class Unreadable:
    """A file that could not be read, and the reason."""

    file: str
    reason: str


def robot_page(
    file: str, correction: Correction, *, command: str = "", note: str = "", most: int = MOST_TRIANGLES
) -> RobotPage:
    """Return the page's content for one robot.

    Args:
        file: The file, as the user named it.
        correction: The findings, and their correction.
        command: The command for that correction.
        note: A failure to report.
        most: Maximum number of triangles in its scene.
    """
    scene = robot_scene(correction, most)
    report, robot = correction.report, correction.robot
    findings = tuple(finding_rows(correction))
    codes = dict.fromkeys(row.code for row in findings)
    notes = [note] if note else []
    if scene.drawn < scene.triangles:
        notes.append(f"The picture is simplified: it shows {scene.drawn} of {scene.triangles} triangles.")
    if scene.lost:
        shapes = counted(len(scene.lost), "shape is", "shapes are")
        notes.append(f"{shapes} missing in the picture. The first: {scene.lost[0]}")
    mass = correction.after.total_mass
    return RobotPage(
        file=file,
        name=robot.name or Path(file).name,
        format=robot.format.value,
        errors=report.count(Severity.ERROR),
        warnings=report.count(Severity.WARNING),
        infos=report.count(Severity.INFO),
        errors_left=correction.after.count(Severity.ERROR),
        mass=f"{mass:.4g}",
        tiles=tuple(tiles(correction, scene)),
        findings=findings,
        links=tuple(link_rows(correction)),
        explanations=tuple(EXPLANATIONS[code] for code in codes if code in EXPLANATIONS),
        command=command if correction.changes else "",
        notes=tuple(notes),
        scene=scene.entry,
        sources=tuple(str(path) for path in files_of(robot)),
    )


def page_text(robots: Sequence[RobotPage], unreadable: Sequence[Unreadable] = ()) -> str:
    """Return the page as HTML.

    Raises:
        MissingDependencyError: Jinja2 is not installed.
    """
    title = robots[0].name if len(robots) == 1 and not unreadable else f"{len(robots)} robots"
    return str(_template().render(title=title, robots=robots, unreadable=unreadable, version=__version__))


@cache
def _template() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingDependencyError("jinja2", "a report", "pip install jinja2") from error
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.globals["source"] = lambda name: Markup((FOLDER / name).read_text(encoding="utf-8"))
    return environment.get_template(TEMPLATE)
