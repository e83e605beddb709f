# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Triangle meshes as people have them: read, mended, closed, integrated, remembered.

`integrate.integrate_mesh` is the way in: it mends a `Surface`, turns its pieces outwards and integrates the solid it
holds, or takes a mesh with holes down the ladder. `record` remembers that for files, `batch` deals files out.
"""
