# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Finding the files that a description names: package://, model://, file:// and plain paths.

Packages are searched in the caller's folders, then in the ROS package index, then in the folders above the description,
and finally below the caller's folders, as colcon does. A folder is the package if it has the package's name, or holds a
package.xml that states it.

`readable` decides for every file that a description names whether it may be read.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from inertia_tools.description.source import Document
from inertia_tools.wording import not_opened

MODEL_PATH_VARIABLES = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
NO_NAMES = ("", ".", "..")
"""Words that are no package names, and would leave the folders of packages."""

FILE, OF_FILE, THIS_HOST = "file", "file:/", "localhost"
"""Scheme of URIs of files, how they begin without a host, and the name of the only host whose files are read."""

PATHS = (FILE, "")
"""Schemes of URIs that are paths, with none for a plain path."""

OPTION = "--package-path"
MOST_SHOWN = 8
"""Maximum number of folders in a message."""

MANIFEST = "package.xml"
PASSED_OVER = frozenset({"COLCON_IGNORE", "AMENT_IGNORE"})
"""Files in folders in which colcon searches no packages, such as those that it builds in."""

PACKAGE_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")


def readable(path: Path, document: Document) -> Path | None:
    """Return a file that a document names, if it exists and the document may read it; None otherwise.

    Only regular files are read, no devices or pipes. If the document has `allowed_roots`, the file must be in one of
    them after all links and `..` are resolved.
    """
    try:
        if not path.is_file():
            return None
        if not document.allowed_roots:
            return path
        real = path.resolve()
    except (OSError, ValueError):  # a name too long, or with a zero byte
        return None
    return path if any(real.is_relative_to(root.resolve()) for root in document.allowed_roots) else None


def unreadable(path: Path | str, document: Document) -> str:
    """Return why a file that a document names is not read, for which `readable` returns None, and the remedy."""
    try:
        if not document.allowed_roots:  # what lies outside them is not told
            os.stat(path)
    except PermissionError as error:
        return f"{path} {not_opened(error)}"
    except (OSError, ValueError):  # it does not exist
        pass
    elsewhere = ", or is outside the allowed folders" if document.allowed_roots else ""
    return f"{path} does not exist or is not a regular file{elsewhere}; correct the path"


def resolve_uri(uri: str, document: Document) -> Path | None:
    """Return the existing file that a URI of a document refers to; None if there is none that may be read.

    Args:
        uri: `package://pkg/rest`, `model://model/rest`, `file:///absolute`, `file://localhost/absolute`,
            `file:/absolute`, an absolute path, or a path relative to the document's folder. Anything else, such as
            http://, is never fetched and gives None.
        document: The document that names it.
    """
    scheme, rest = _split(uri)
    if scheme in PATHS:
        return readable(_beside(document, rest), document)
    if scheme in ("package", "model"):
        name, inner = _in_package(rest)
        if _leads_out(inner):
            return None
        places = (readable(folder / inner, document) for folder in package_folders(name, document))
        return next(filter(None, places), None)
    return None


def _split(uri: str) -> tuple[str, str]:
    """Return the scheme of a URI in lower case, empty for a path, and the text after `://`; of a file, its path."""
    scheme, separator, rest = uri.partition("://")
    if not separator and uri[: len(OF_FILE)].lower() == OF_FILE:
        return FILE, unquote(uri[len("file:") :])
    if not separator:
        return "", uri
    if scheme.lower() == FILE:
        host, slash, _ = rest.partition("/")
        return FILE, unquote(rest[len(host) :] if slash and host.lower() == THIS_HOST else rest)
    return scheme.lower(), rest


def _in_package(rest: str) -> tuple[str, str]:
    """Return the name of a package or model, and the path of a file in it, from the text after `package://`."""
    name, _, inner = unquote(rest).partition("/")
    return name, posixpath.normpath(inner.lstrip("/"))


def _leads_out(inner: str) -> bool:
    """Return whether a path leaves its package."""
    return inner == ".." or inner.startswith("../")


def absence_of(uri: str, document: Document) -> str:
    """Return why `resolve_uri` finds no file, the searched folders, and the remedy."""
    scheme, rest = _split(uri)
    if scheme in ("package", "model"):
        name, inner = _in_package(rest)
        if _leads_out(inner):
            return (
                f"the file is not read: {inner!r} leaves the package {name!r}; name the package that contains the file"
            )
        found = dict.fromkeys(
            str(folder.resolve()) for folder in package_folders(name, document) if os.path.isdir(folder)
        )
        if found:
            elsewhere = ", or it is outside the allowed folders" if document.allowed_roots else ""
            return (
                f"the file was not found: there is no {inner!r} in {_listed(list(found))}{elsewhere}; correct the path"
            )
        searched = _listed(_searched(document))
        return (
            f'Could not resolve package "{name}", searched in {searched}; name the folder that holds it with {OPTION}'
        )
    if scheme not in PATHS:
        return f"the file was not found: {scheme}:// is not fetched; download it and name the local file"
    path = _beside(document, rest)
    return f"the file was not found: {unreadable(path, document)}"


def _searched(document: Document) -> list[str]:
    """Return the folders in which packages are searched, with those above the document as one entry."""
    places = [str(place) if os.path.isdir(place) else f"{place} (no folder)" for place in document.package_path]
    places += [str(prefix / "share") for prefix in _paths("AMENT_PREFIX_PATH")]
    places += [str(place) for variable in ("ROS_PACKAGE_PATH", *MODEL_PATH_VARIABLES) for place in _paths(variable)]
    above = [] if document.path is None else [f"the folders above {document.path}"]
    return [*dict.fromkeys(places), *above]


def _listed(folders: list[str]) -> str:
    """Join folders, the first few by name and the rest as a number."""
    shown = folders[:MOST_SHOWN]
    more = len(folders) - len(shown)
    return (", ".join(shown) or "no folder at all") + (f" and {more} more" if more else "")


def package_folders(name: str, document: Document) -> Iterator[Path]:
    """Iterate over the folders that may be the package or model of that name, in order of precedence."""
    if name in NO_NAMES:
        return
    for place in document.package_path:
        yield from _as_package(place, name)
    for prefix in _paths("AMENT_PREFIX_PATH"):
        yield prefix / "share" / name
    for variable in ("ROS_PACKAGE_PATH", *MODEL_PATH_VARIABLES):
        for place in _paths(variable):
            yield from _as_package(place, name)
    if document.path is not None:
        for above in document.path.resolve().parents:
            yield from _as_package(above, name)
    for place in document.package_path:
        if (found := _packages_below(str(place)).get(name)) is not None:
            yield found


def _as_package(place: Path, name: str) -> Iterator[Path]:
    """Yield the folder as the package itself if it is one, and as a folder of packages in any case."""
    if place.name == name or _stated_name(str(place)) == name:
        yield place
    yield place / name


@lru_cache(maxsize=1024)
def _stated_name(folder: str) -> str | None:
    """Return the name in the folder's package.xml, if it has one."""
    try:
        text = Path(folder, MANIFEST).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = PACKAGE_NAME.search(text)
    return match.group(1) if match else None


@lru_cache(maxsize=64)
def _packages_below(place: str) -> Mapping[str, Path]:
    """Return the packages at any depth below a folder by the names in their package.xml; packages do not nest."""
    found: dict[str, Path] = {}
    for here, folders, files in os.walk(place):
        name = _stated_name(here) if MANIFEST in files else None
        if name is not None:
            found.setdefault(name, Path(here))
        is_passed_over = here != place and not PASSED_OVER.isdisjoint(files)
        folders[:] = [] if name or is_passed_over else sorted(one for one in folders if not one.startswith("."))
    return found


def _paths(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _beside(document: Document, path: str) -> Path:
    """Resolve a relative path in the document's folder, or in the working folder for text from elsewhere."""
    folder = document.path.parent if document.path is not None else Path()
    return folder / path
