# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo with an elliptic friction cone, all else at its defaults: semi-implicit Euler where nothing else is said."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.physics.engine import FRAME, Engine, NotYetError
from benchmarks.physics.world import BALL, SLIDE, WORLD, Body, Hold, World
from inertia_tools.spatial import Array, Pose

KINDS = {"hinge": mujoco.mjtJoint.mjJNT_HINGE, SLIDE: mujoco.mjtJoint.mjJNT_SLIDE, BALL: mujoco.mjtJoint.mjJNT_BALL}
GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}

STEPS_OF_BOUNCE = 20
"""Steps that a bounce takes: MuJoCo has no restitution, but a spring and a damper that come to the same."""


def scalar_first(pose: Pose) -> Array:
    """Return the quaternion w, x, y, z."""
    return np.roll(pose.quaternion, 1)


class MuJoCo(Engine):
    """One `mj_step` a step, by one of its integrators: Euler, implicit, implicitfast or RK4."""

    name = "MuJoCo"

    def __init__(self, world: World, h: float, frame: float = FRAME, integrator: str = "Euler") -> None:
        self.integrator = integrator
        super().__init__(world, h, frame)

    def _build(self) -> None:
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.timestep = self.h
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{self.integrator.upper()}")
        spec.option.gravity = self.world.turned(self.world.gravity)
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        place = self.world.place
        if self.world.floor:
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], pos=place.position, quat=scalar_first(place),
                **self._material(None),
            )  # fmt: skip
        for wall in self.world.walls:
            pose = place @ Pose(np.array(wall.at))
            spec.worldbody.add_geom(
                type=GEOMS[wall.kind], size=[*wall.size, 0.0, 0.0][:3], pos=pose.position, quat=scalar_first(pose),
                **self._material(wall.mu),
            )  # fmt: skip
        made: list[object] = []
        for index, body in enumerate(self.world.bodies):
            made.append(self._add_body(spec, made, index, body))
        self.model = spec.compile()
        self.data, self.look = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self._start_moving()

    def _material(self, mu: float | None) -> dict[str, object]:
        """Return what a geom is told of friction and of bouncing."""
        world = self.world
        lengths = [world.mu_torsional, world.mu_rolling]
        said: dict[str, object] = {"friction": [world.mu if mu is None else mu, *lengths]}
        if any(lengths):
            said["condim"] = 6 if lengths[1] else 4
        if world.bounce:
            rate, decay = np.pi / (STEPS_OF_BOUNCE * self.h), -np.log(world.bounce) / np.pi
            damping = decay / np.sqrt(1.0 + decay**2)
            said |= {"solref": [-(rate**2), -2.0 * damping * rate], "solimp": [0.9999, 0.9999, 0.001, 0.5, 2.0]}
        return said

    def _add_body(self, spec: object, made: list[object], index: int, body: Body) -> object:
        hold, pose = body.hold, self.world.body_pose(index)
        above = spec.worldbody if hold is None or hold.parent == WORLD else made[hold.parent]
        local = pose if above is spec.worldbody else self.world.body_pose(hold.parent).inverse() @ pose
        child = above.add_body(
            name=f"body{index}", pos=local.position, quat=scalar_first(local), mass=body.mass,
            ipos=[0, 0, 0], iquat=[1, 0, 0, 0], inertia=np.diag(body.inertia), explicitinertial=True,
        )  # fmt: skip
        for shape in body.shapes:
            size = [*shape.size, 0.0, 0.0][:3]
            child.add_geom(type=GEOMS[shape.kind], size=size, pos=shape.at, mass=0.0, **self._material(shape.mu))
        if hold is None:
            child.add_freejoint()
        else:
            self._add_joint(child, hold, pose)
        return child

    def _add_joint(self, child: object, hold: Hold, pose: Pose) -> None:
        anchor = pose.inverse() @ self.world.anchor(hold)
        options = {} if hold.kind == BALL else {"axis": anchor.rotation @ np.array(hold.axis)}
        if np.isfinite([hold.lower, hold.upper]).any():
            options |= {"range": np.clip([hold.lower, hold.upper], -1e6, 1e6), "limited": True}
        if hold.ke > 0.0:
            options |= {"stiffness": hold.ke, "damping": hold.kd, "springref": hold.target}
        child.add_joint(type=KINDS[hold.kind], pos=anchor.position, **options)

    def _start_moving(self) -> None:
        mujoco.mj_forward(self.model, self.data)
        for index, body in enumerate(self.world.bodies):
            first = self.model.jnt_dofadr[self.model.body_jntadr[index + 1]]
            v, w = self.world.turned(body.velocity), self.world.turned(body.spin)
            local = self.world.body_pose(index).rotation.T @ w
            hold = body.hold
            if hold is None:
                self.data.qvel[first : first + 6] = [*v, *local]
            elif hold.kind == BALL:
                self.data.qvel[first : first + 3] = local
            else:
                above = self.world.bodies[hold.parent] if hold.parent != WORLD else None
                of_body, of_above = (body.velocity, above and above.velocity) if hold.kind == SLIDE else (
                    body.spin, above and above.spin)  # fmt: skip
                self.data.qvel[first] = np.dot(hold.axis, np.subtract(of_body, of_above or (0.0, 0.0, 0.0)))

    def drive(self, body: int, target: float) -> None:
        """See `Engine.drive`."""
        self.model.qpos_spring[self.model.jnt_qposadr[self.model.body_jntadr[body + 1]]] = target

    def push(self, body: int, force: tuple[float, float, float]) -> None:
        """See `Engine.push`."""
        self.data.xfrc_applied[body + 1, :3] = self.world.turned(force)

    def _step_frame(self) -> None:
        mujoco.mj_step(self.model, self.data, nstep=self.steps_per_frame)

    def _see(self) -> None:
        """Work everything out that belongs to the present positions and velocities, away from the simulation."""
        for name in ("qpos", "qvel", "xfrc_applied", "qacc_warmstart"):
            getattr(self.look, name)[:] = getattr(self.data, name)
        mujoco.mj_forward(self.model, self.look)

    def _bodies(self) -> tuple[Array, Array, Array, Array]:
        self._see()
        twist, speeds = np.zeros(6), []
        for index in range(len(self.world.bodies)):
            mujoco.mj_objectVelocity(self.model, self.look, mujoco.mjtObj.mjOBJ_BODY, index + 1, twist, 0)
            speeds.append(twist.copy())
        moving = np.array(speeds).reshape(-1, 6)
        return self.look.xpos[1:].copy(), self.look.xmat[1:].reshape(-1, 3, 3).copy(), moving[:, 3:], moving[:, :3]

    def _contact(self, a: int, b: int) -> tuple[Array, Array]:
        self._see()
        points, forces, wrench = [], [], np.zeros(6)
        for index in range(self.look.ncon):
            contact = self.look.contact[index]
            first, second = (int(self.model.geom_bodyid[g]) - 1 for g in (contact.geom1, contact.geom2))
            if {first, second} != {a, b}:
                continue
            mujoco.mj_contactForce(self.model, self.look, index, wrench)
            on_second = contact.frame.reshape(3, 3).T @ wrench[:3]
            points.append(contact.pos.copy())
            forces.append(on_second if second == a else -on_second)
        return np.array(points), np.array(forces)

    def _reaction(self, body: int) -> tuple[Array, Array]:
        self._see()
        mujoco.mj_rnePostConstraint(self.model, self.look)
        wrench, child = self.look.cfrc_int[body + 1], body + 1
        about = self.look.subtree_com[self.model.body_rootid[child]]
        force = wrench[3:].copy()
        if self.world.bodies[body].hold is None:
            raise NotYetError("no joint")
        return force, wrench[:3] + np.cross(about - self.look.xpos[child], force)
