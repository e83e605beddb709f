# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run fTetWild on `surface.npz` in the current folder, and write `tetrahedra.npz` there.

A process of its own, in a folder of its own, for fTetWild leaves files where it runs. See `tetrahedralise`.
"""

from __future__ import annotations

import numpy as np

SURFACE, TETRAHEDRA = "surface.npz", "tetrahedra.npz"


def main() -> None:
    """Fill the surface."""
    import pytetwild

    with np.load(SURFACE) as surface:
        vertices, tetrahedra = pytetwild.tetrahedralize(  # type: ignore[attr-defined]
            surface["vertices"],
            surface["triangles"],
            edge_length_fac=float(surface["edge"]),
            epsilon=float(surface["envelope"]),
            num_threads=1,
            quiet=True,
        )
    np.savez(TETRAHEDRA, vertices=vertices, tetrahedra=tetrahedra)


if __name__ == "__main__":
    main()
