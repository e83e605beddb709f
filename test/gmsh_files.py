# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes as files of Gmsh, in both formats, as text and binary."""

import numpy as np

KIND = {2: 1, 3: 2, 4: 4}


def gmsh_file(points, elements, version="2.2", binary=False, order="<", first=11) -> bytes:
    """Return a file with these points, numbered from the first, and elements; unless that is 1, with a point element."""
    points, elements = np.asarray(points, dtype=float), np.asarray(elements) + first
    header = f"$MeshFormat\n{version} {int(binary)} 8\n".encode() + (ints([1], order) + b"\n" if binary else b"")
    tags = np.arange(first, first + len(points))
    make = (_two if version == "2.2" else _four)(points, elements, tags, order if binary else "")
    return header + b"$EndMeshFormat\n" + make


def ints(values, order, kind="i4") -> bytes:
    return np.asarray(values, dtype=order + kind).tobytes() if order else (" ".join(map(str, values)) + "\n").encode()


def reals(values, order) -> bytes:
    flat = np.ravel(values)
    return flat.astype(order + "f8").tobytes() if order else (" ".join(map(repr, flat.tolist())) + "\n").encode()


def _two(points, elements, tags, order) -> bytes:
    nodes = b"".join(ints([tag], order).rstrip(b"\n") + b" " * (not order) + reals(point, order)
                     for tag, point in zip(tags, points, strict=True))  # fmt: skip
    kind, count, extra = KIND[elements.shape[1]], len(elements), int(tags[0] != 1)
    if order:
        body = ints([15, 1, 2, 1, 0, 0, tags[0]], order) * extra + ints([kind, count, 2], order)
        body += b"".join(ints([2 + i, 0, 0, *row], order) for i, row in enumerate(elements))
    else:
        body = ints([1, 15, 2, 0, 0, tags[0]], "") * extra
        body += b"".join(ints([2 + i, kind, 2, 0, 0, *row], "") for i, row in enumerate(elements))
    return (b"$Nodes\n%d\n" % len(points) + nodes + b"\n$EndNodes\n"
            + b"$Elements\n%d\n" % (count + extra) + body + b"\n$EndElements\n")  # fmt: skip


def _four(points, elements, tags, order) -> bytes:
    long = "u8" if order else "i4"
    nodes = ints([1, len(points), tags[0], tags[-1]], order, long) + ints([3, 1, 0], order)
    nodes += ints([len(points)], order, long) + ints(tags, order, long) + reals(points, order)
    extra = int(tags[0] != 1)
    body = ints([1 + extra, len(elements) + extra, 1, len(elements) + 1], order, long)
    body += (ints([0, 1, 15], order) + ints([1], order, long) + ints([1, tags[0]], order, long)) * extra
    body += ints([3, 1, KIND[elements.shape[1]]], order) + ints([len(elements)], order, long)
    body += b"".join(ints([2 + i, *row], order, long) for i, row in enumerate(elements))
    return b"$Nodes\n" + nodes + b"\n$EndNodes\n$Elements\n" + body + b"\n$EndElements\n"
