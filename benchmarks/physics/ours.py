# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""SolverXPBD of this package as an engine of the suite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import inertia_tools as it
from benchmarks.physics.engine import FRAME, Engine
from benchmarks.physics.world import BALL, SLIDE, WORLD, Hold, Shape, World
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion

KINDS = {"hinge": JointKind.REVOLUTE, SLIDE: JointKind.PRISMATIC, BALL: JointKind.BALL}


class Ours(Engine):
    """SolverXPBD; a frame is one step of so many substeps."""

    name = "inertia_tools"

    def __init__(
        self,
        world: World,
        h: float,
        frame: float = FRAME,
        dtype: str = "float64",
        passes: int = 3,
        *,
        reactions: bool = True,
        copies: int = 1,
        threads: int | None = None,
        device: str = "cpu",
        logs: bool = False,
        turn_limit: float = 0.1,
    ) -> None:
        self.turn_limit = turn_limit
        self.dtype, self.passes, self.reactions = dtype, passes, reactions
        self.copies, self.threads, self.device, self.logs = copies, threads, device, logs
        super().__init__(world, h, frame)

    def _build(self) -> None:
        builder = it.ModelBuilder(gravity=self.world.turned(self.world.gravity))
        world = self.world
        material = it.ShapeConfig(
            density=0.0, mu=world.mu, mu_torsional=world.mu_torsional, mu_rolling=world.mu_rolling,
            restitution=world.bounce,
        )  # fmt: skip
        if world.has_own_friction:
            builder.friction_combine = "max"
        for index, body in enumerate(self.world.bodies):
            pose = self.world.body_pose(index)
            made = builder.add_link(pose, mass=body.mass, inertia=body.inertia, lock_inertia=True)
            self._add_shapes(builder, made, body.shapes, Pose(), material)
            if body.hold is not None:
                self._add_joint(builder, made, body.hold, pose)
        self._add_shapes(builder, WORLD, world.walls, world.place, material)
        if world.floor:
            builder.add_shape_plane(WORLD, xform=self.world.place, cfg=material)
        builder.replicate(self.copies)
        self.model = builder.finalize(self.device, self.dtype)
        if self.reactions:
            self.model.request_state_attributes("body_parent_f")
        if self.logs:
            self.model.request_contact_attributes("solve_log")
        self.state, self.control, self.contacts = self.model.state(), self.model.control(), self.model.contacts()
        self.solver = it.SolverXPBD(
            self.model, iterations=self.passes, substeps=self.steps_per_frame, threads=self.threads,
            enable_restitution=world.bounce > 0.0, joint_turn_limit=self.turn_limit,
        )  # fmt: skip
        self._start_moving()

    def _add_shapes(
        self, builder: it.ModelBuilder, index: int, shapes: tuple[Shape, ...], place: Pose, material: it.ShapeConfig
    ) -> None:
        for shape in shapes:
            pose, size = place @ Pose(np.array(shape.at)), shape.size
            cfg = material if shape.mu is None else replace(material, mu=shape.mu)
            if shape.kind == "box":
                builder.add_shape_box(index, pose, hx=size[0], hy=size[1], hz=size[2], cfg=cfg)
            elif shape.kind == "sphere":
                builder.add_shape_sphere(index, pose, radius=size[0], cfg=cfg)
            elif shape.kind == "capsule":
                builder.add_shape_capsule(index, pose, radius=size[0], half_height=size[1], cfg=cfg)
            else:
                builder.add_shape_cylinder(index, pose, radius=size[0], half_height=size[1], cfg=cfg)

    def _add_joint(self, builder: it.ModelBuilder, index: int, hold: Hold, pose: Pose) -> None:
        anchor = self.world.anchor(hold)
        parent = Pose() if hold.parent == WORLD else self.world.body_pose(hold.parent)
        limits = {} if hold.kind == BALL else {"limit_lower": hold.lower, "limit_upper": hold.upper}
        builder.add_joint(
            KINDS[hold.kind], hold.parent, index, parent.inverse() @ anchor, pose.inverse() @ anchor,
            axis=hold.axis, target_pos=hold.target, target_ke=hold.ke, target_kd=hold.kd, **limits,
        )  # fmt: skip

    def _start_moving(self) -> None:
        bodies = self.world.bodies
        if not bodies:
            return
        speeds = [[*self.world.turned(b.velocity), *self.world.turned(b.spin)] for b in bodies]
        self.state.body_qd.assign(np.array(speeds * self.copies, dtype=self.dtype))

    def drive(self, body: int, target: float) -> None:
        """See `Engine.drive`."""
        joint = next(i for i, one in enumerate(self.model.built_joints) if one.child == body)
        targets = self.control.joint_target_pos.numpy()
        targets[self.model.first_dof(joint)] = target
        self.control.joint_target_pos.assign(targets)

    def push(self, body: int, force: tuple[float, float, float]) -> None:
        """See `Engine.push`."""
        wrench = np.zeros((len(self.world.bodies), 6), dtype=self.dtype)
        wrench[body, :3] = self.world.turned(force)
        self.state.body_f.assign(wrench)

    def _step_frame(self) -> None:
        self.solver.step(self.state, self.state, self.control, self.contacts, self.frame)

    def _bodies(self) -> tuple[Array, Array, Array, Array]:
        count = len(self.world.bodies)
        motion = self.model.motion(self.state)
        q, qd = motion.q[:count], motion.qd[:count]
        rotations = np.array([rotation_from_quaternion(row[3:]) for row in q]).reshape(-1, 3, 3)
        return q[:, :3], rotations, qd[:, :3], qd[:, 3:]

    def _contact(self, a: int, b: int) -> tuple[Array, Array]:
        slots = self.contacts.slot_bodies
        forces = self.contacts.data.force.numpy()[: len(slots)].astype(np.float64)
        points = self.contacts.data.point.numpy()[: len(slots)].astype(np.float64)
        acts = np.abs(forces).sum(axis=1) > 0.0
        on_a = (slots[:, 0] == a) & (slots[:, 1] == b) & acts
        on_b = (slots[:, 1] == a) & (slots[:, 0] == b) & acts
        return np.concatenate([points[on_a], points[on_b]]), np.concatenate([forces[on_a], -forces[on_b]])

    def _reaction(self, body: int) -> tuple[Array, Array]:
        wrench = self.state.body_parent_f.numpy()[body].astype(np.float64)
        return wrench[:3], wrench[3:]
