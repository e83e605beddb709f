# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Triangle meshes as found in practice: read, repaired, closed, integrated, cached.

`integrate.integrate_mesh` is the entry point: it repairs a `Surface`, orients its pieces outwards and integrates the
solid inside, or tries the fallbacks for a mesh with holes in turn. `record` caches the results for files, `batch`
distributes files among processes.
"""
