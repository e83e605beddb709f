# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The USD files inside Newton's wheel through Newton's importer and ours: what every body weighs, and what is read.

Newton's importer asks OpenUSD (ComputeMassProperties) for what a prim does not state, as ours does, each with records
of its own geometry.
"""

from pathlib import Path

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion

newton = pytest.importorskip(
    "newton", reason="Newton is not installed; `make peers` sets up an environment that has it"
)
pytest.importorskip("newton_usd_schemas", reason="Newton's importer of USD needs newton-usd-schemas")

SINGLE = 2e-6
"""Agreement, relative: Newton and OpenUSD keep bodies in single precision."""

CLOTH = "curvedSurface.usd"
"""A cloth with faulty normals, which Newton refuses; it has no rigid body."""

ROOT = Path(newton.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.usd*") if path.name != CLOTH)


def ours(path: Path) -> dict[str, it.Inertial]:
    """Mass properties of bodies that have some, by the path of the prim."""
    robot = it.load(path)
    report = it.stats(robot)
    found = {body.path: report[name].effective for name, body in robot.usd.bodies.items()}
    return {path: value.inertial for path, value in found.items() if value is not None}


def theirs(path: Path) -> dict[str, it.Inertial]:
    builder = newton.ModelBuilder()
    bodies = builder.add_usd(str(path))["path_body_map"]
    tensors = [np.array(tensor, dtype=float).reshape(3, 3) for tensor in builder.body_inertia]
    return {
        prim: it.Inertial(builder.body_mass[b], np.array(builder.body_com[b]), 0.5 * (tensors[b] + tensors[b].T))
        for prim, b in bodies.items()
        if builder.body_mass[b] > 0.0
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
@pytest.mark.filterwarnings("ignore")
def test_bodies_weigh_the_same(path):
    mine, other = ours(path), theirs(path)
    assert mine.keys() == other.keys()
    for prim, body in other.items():
        largest = float(np.abs(body.inertia).max())
        assert mine[prim].mass == pytest.approx(body.mass, rel=SINGLE)
        assert np.abs(mine[prim].com - body.com).max() <= SINGLE * max(np.sqrt(largest / body.mass), 1.0)
        assert np.abs(mine[prim].inertia - body.inertia).max() <= SINGLE * largest


def both(path: Path):
    """Import a file with both, PhysX's angles by degree, as Newton reads them."""
    from newton.usd import SchemaResolverNewton, SchemaResolverPhysx

    from inertia_tools import usd

    their_builder, our_builder = newton.ModelBuilder(), it.ModelBuilder()
    their_result = their_builder.add_usd(str(path), schema_resolvers=[SchemaResolverNewton(), SchemaResolverPhysx()])
    resolvers = [usd.SchemaResolverNewton(), usd.SchemaResolverPhysx()]
    our_result = our_builder.add_usd(path, schema_resolvers=resolvers, angles_in_degrees=True)
    return their_builder, their_result, our_builder, our_result


AGAINST_ITSELF = {
    f"test_joint_d6_{kind}_{how}.usda"
    for kind in ("revolute", "spherical", "universal")
    for how in ("passive", "actuated")
}
"""Files whose transforms have bodies half a metre from where their joints can be; here the joints hold."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
@pytest.mark.filterwarnings("ignore")
def test_bodies_start_where_newton_puts_them_by_their_joints(path):
    """Newton's forward kinematics of its own start; a joint that may not be there starts at its nearest bound here."""
    builder, result, mine, our_result = both(path)
    model = builder.finalize(skip_all_validations=True)
    if not model.body_count or path.name in AGAINST_ITSELF:
        return
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    places, speeds = state.body_q.numpy().astype(float), state.body_qd.numpy().astype(float)
    beside = carried_by(mine, our_result)
    for prim, body in result["path_body_map"].items():
        own = our_result["path_body_map"][prim]
        if own in beside:
            continue
        there = it.Pose(places[body, :3], rotation_from_quaternion(places[body, 3:]))
        assert mine.body_pose[own].isclose(there, 2e-5 * max(1.0, np.abs(there.position).max())), prim
        np.testing.assert_allclose(mine.body_qd[own], speeds[body], atol=1e-4)


def carried_by(builder, result) -> set[int]:
    """Bodies on joints that start at a bound, and all that hangs on them."""
    links = {finding.link for finding in result["findings"] if finding.code == "start-at-bound"}
    found = {result["articulation"].links[link].body for link in links}
    for joint in builder.joints:
        if joint.parent in found:
            found.add(joint.child)
    return found


BY_ACTUATOR = {"mjc_schema_import.usda": {"/World/Articulation/Joint1": (10.0, 1.0)}}
"""Gains of joints that only an actuator states, which Newton keeps beside its joints."""

UNLIMITED = 1e8
"""Limits beyond this are none: Newton has large numbers, some of degrees, where ours are infinite."""


def dofs_of_newton(builder, joint: int) -> list[list[float]]:
    starts = [*builder.joint_qd_start, builder.joint_dof_count]
    names = ("limit_lower", "limit_upper", "target_ke", "target_kd", "armature", "friction")
    return [
        [float(getattr(builder, f"joint_{name}")[dof]) for name in names]
        for dof in range(starts[joint], starts[joint + 1])
    ]


def dofs_of_ours(joint) -> list[list[float]]:
    return [
        [c.limit_lower, c.limit_upper, c.target_ke, c.target_kd, c.armature, c.friction]
        for c in (dof.config for dof in joint.dofs)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
@pytest.mark.filterwarnings("ignore")
def test_joints_shapes_and_collected_attributes_are_the_same(path):
    theirs_, their_result, ours_, our_result = both(path)
    for solver, prims in their_result["schema_attrs"].items():
        for prim, attributes in prims.items():
            mine = our_result["schema_attrs"][solver].get(prim, {})
            assert {name: str(value) for name, value in mine.items()} == {n: str(v) for n, v in attributes.items()}
    held = set(their_result["path_joint_map"]) - set(our_result["path_joint_map"])
    kinds = {newton.JointType(theirs_.joint_type[their_result["path_joint_map"][prim]]).name for prim in held}
    assert kinds <= {"FIXED"}, "a base that is fixed to the world is a body that does not move"
    for prim, index in our_result["path_joint_map"].items():
        joint = ours_.joints[index]
        if joint.kind.name in ("BALL", "FREE", "FIXED"):
            continue
        other = dofs_of_newton(theirs_, their_result["path_joint_map"][prim])
        for values in other:
            values[2:4] = BY_ACTUATOR.get(path.name, {}).get(prim, values[2:4])
        clipped = [np.clip(values, -UNLIMITED, UNLIMITED).tolist() for values in (dofs_of_ours(joint), other)]
        np.testing.assert_allclose(*map(sorted, clipped), rtol=1e-5, atol=1e-6)  # theirs go by axis
    for prim, index in our_result["path_shape_map"].items():
        if prim in their_result["path_shape_map"]:
            other = their_result["path_shape_map"][prim]
            config = ours_.shapes[index].config
            assert config.mu == pytest.approx(theirs_.shape_material_mu[other], rel=1e-6)
            assert config.margin == pytest.approx(theirs_.shape_margin[other], rel=1e-6)
