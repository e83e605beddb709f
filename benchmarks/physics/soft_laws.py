# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How near soft bodies are to closed forms and to finite elements of the same mesh, as a table.

    python -m benchmarks.physics.soft_laws

The scenes are `test/sim/soft/laws.py`, in double precision; scikit-fem is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import test

test.__path__.append(str(Path(__file__).parents[2] / "test"))  # Python has a package of that name itself

from test.sim.soft import laws  # noqa: E402

Row = tuple[str, float, float]
"""What is measured, how far it is off, and the bound."""


def figures() -> Iterator[Row]:
    """Measure one scene after the other."""
    yield "hanging spring, 20 periods: position over sag", laws.hanging_spring("float64")[0], 1e-5
    for cells in ((8, 1, 1), (10, 2, 2), (12, 3, 3)):
        for nu in (0.3, 0.45):
            name = f"cantilever {'x'.join(map(str, cells))}, nu {nu}: beside scikit-fem, same mesh"
            yield name, laws.cantilever(cells, nu), 0.01
    for nu in (0.3, 0.45):
        off = abs(laws.beam_sag(nu, smooth=True) - 1.0)
        yield f"cantilever 20x4x4, smooth_strain, nu {nu}: beside Timoshenko", off, 0.05
    for k in (2e4, 1e5, 3e5):
        sag, expected, off = laws.sagging_cube(k, 3.0)
        yield f"cube, k = {k:g} Pa: sag beside scikit-fem, same mesh", abs(sag / expected - 1.0), 0.05
        yield f"cube, k = {k:g} Pa: force on the floor", abs(off), 1e-3
    for kind in ("cloth", "solid"):
        yield f"free {kind}, 3 s: momentum and angular momentum", laws.free_momenta(kind), 1e-6
    strain, change = laws.hung_cloth()
    yield "cloth hung by two corners: largest strain of an edge", strain, 0.01
    yield "cloth hung by two corners: change of area", change, 5e-3


def main() -> int:
    """Print a table; return how many figures are beyond their bounds."""
    beyond = 0
    print("| figure | off by | at most |\n|---|---|---|")
    for name, off, bound in figures():
        beyond += not off <= bound
        print(f"| {name} | {off:.1e} | {bound:g} |", flush=True)
    return beyond


if __name__ == "__main__":
    raise SystemExit(main())
