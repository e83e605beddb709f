# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's SolverXPBD at its defaults, collision detected in every step, a frame captured as one graph."""

from __future__ import annotations

import warnings

import newton
import numpy as np
import warp as wp

from benchmarks.physics.engine import Engine, NotYetError
from benchmarks.physics.world import BALL, SLIDE, WORLD, Body, Hold, Shape
from inertia_tools.spatial import Array, Pose, rotation_from_quaternion

warnings.filterwarnings("ignore", module="newton")


def transform(pose: Pose) -> wp.transform:
    """Return a pose as Newton has it."""
    return wp.transform(wp.vec3(*pose.position), wp.quat(*pose.quaternion))


class Newton(Engine):
    """The captured graph is replayed for every frame."""

    name = "Newton"

    def _build(self) -> None:
        gravity = wp.vec3(*self.world.turned(self.world.gravity))
        builder = newton.ModelBuilder(gravity=gravity)
        world = self.world
        if world.has_own_friction:
            raise NotYetError("the mean of two coefficients is the only rule")
        self.material = builder.ShapeConfig(
            density=0.0, mu=world.mu, mu_torsional=world.mu_torsional, mu_rolling=world.mu_rolling,
            restitution=world.bounce,
        )  # fmt: skip
        joints = [self._add_body(builder, index, body) for index, body in enumerate(self.world.bodies)]
        self._group(builder, joints)
        self._add_shapes(builder, -1, world.walls, world.place)
        if world.floor:
            builder.add_shape_plane(
                body=-1, xform=transform(self.world.place), width=0.0, length=0.0, cfg=self.material
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            builder.request_contact_attributes("force")
            builder.request_state_attributes("body_parent_f")
            self.model = builder.finalize(device="cpu")
        self.solver = newton.solvers.SolverXPBD(self.model, enable_restitution=world.bounce > 0.0)
        self.states = [self.model.state(), self.model.state()]
        self.control, self.contacts = self.model.control(), self.model.contacts()
        if self.world.bodies:
            speeds = [[*self.world.turned(b.velocity), *self.world.turned(b.spin)] for b in self.world.bodies]
            self.states[0].body_qd.assign(np.array(speeds, dtype=np.float32))
        self._graph = None

    def _add_body(self, builder: newton.ModelBuilder, index: int, body: Body) -> int:
        pose = self.world.body_pose(index)
        made = builder.add_link(xform=transform(pose), mass=body.mass, inertia=wp.mat33(body.inertia.flatten()))
        self._add_shapes(builder, made, body.shapes, Pose())
        return builder.add_joint_free(made) if body.hold is None else self._add_joint(builder, made, body.hold, pose)

    def _add_shapes(self, builder: newton.ModelBuilder, made: int, shapes: tuple[Shape, ...], place: Pose) -> None:
        for shape in shapes:
            where, size, cfg = transform(place @ Pose(np.array(shape.at))), shape.size, self.material
            if shape.kind == "box":
                builder.add_shape_box(made, xform=where, hx=size[0], hy=size[1], hz=size[2], cfg=cfg)
            elif shape.kind == "sphere":
                builder.add_shape_sphere(made, xform=where, radius=size[0], cfg=cfg)
            elif shape.kind == "capsule":
                builder.add_shape_capsule(made, xform=where, radius=size[0], half_height=size[1], cfg=cfg)
            else:
                builder.add_shape_cylinder(made, xform=where, radius=size[0], half_height=size[1], cfg=cfg)

    def _add_joint(self, builder: newton.ModelBuilder, made: int, hold: Hold, pose: Pose) -> int:
        anchor = self.world.anchor(hold)
        parent = Pose() if hold.parent == WORLD else self.world.body_pose(hold.parent)
        places = {
            "parent_xform": transform(parent.inverse() @ anchor),
            "child_xform": transform(pose.inverse() @ anchor),
        }
        if hold.kind == BALL:
            return builder.add_joint_ball(hold.parent, made, **places)
        options: dict[str, object] = {"axis": wp.vec3(*hold.axis), "target_ke": hold.ke, "target_kd": hold.kd}
        options["target_q"] = hold.target
        if np.isfinite([hold.lower, hold.upper]).any():
            low, high = np.clip([hold.lower, hold.upper], -1e6, 1e6)
            options |= {"limit_lower": float(low), "limit_upper": float(high)}
        add = builder.add_joint_prismatic if hold.kind == SLIDE else builder.add_joint_revolute
        return add(hold.parent, made, **places, **options)

    def _group(self, builder: newton.ModelBuilder, joints: list[int]) -> None:
        """Make an articulation of each tree."""
        root_of: dict[int, int] = {}
        trees: dict[int, list[int]] = {}
        for index, body in enumerate(self.world.bodies):
            hold = body.hold
            root_of[index] = index if hold is None or hold.parent == WORLD else root_of[hold.parent]
            trees.setdefault(root_of[index], []).append(joints[index])
        for tree in trees.values():
            builder.add_articulation(tree)

    def drive(self, body: int, target: float) -> None:
        """See `Engine.drive`."""
        joint = int(np.flatnonzero(self.model.joint_child.numpy() == body)[0])
        goals = self.control.joint_target_q.numpy()
        goals[self.model.joint_q_start.numpy()[joint]] = target
        self.control.joint_target_q.assign(goals)

    def push(self, body: int, force: tuple[float, float, float]) -> None:
        """See `Engine.push`."""
        wrench = np.zeros((len(self.world.bodies), 6), dtype=np.float32)
        wrench[body, :3] = self.world.turned(force)
        for state in self.states:
            state.body_f.assign(wrench)

    def _steps(self) -> None:
        now, then = self.states
        for _ in range(self.steps_per_frame):
            self.model.collide(now, self.contacts)
            self.solver.step(now, then, self.control, self.contacts, self.h)
            now, then = then, now
        if now is not self.states[0] and self.world.bodies:
            wp.copy(self.states[0].body_q, now.body_q)
            wp.copy(self.states[0].body_qd, now.body_qd)
            if now.body_parent_f is not None:
                wp.copy(self.states[0].body_parent_f, now.body_parent_f)

    def _step_frame(self) -> None:
        if self._graph is None:
            start = [(a, getattr(self.states[0], a).numpy()) for a in ("body_q", "body_qd")]
            self._steps()  # loads every kernel
            for name, values in start:
                getattr(self.states[0], name).assign(values)
            with wp.ScopedCapture(device="cpu") as capture:
                self._steps()
            self._graph = capture.graph
            for name, values in start:
                getattr(self.states[0], name).assign(values)
        wp.capture_launch(self._graph)

    def _bodies(self) -> tuple[Array, Array, Array, Array]:
        q, qd = (a.numpy().astype(np.float64) for a in (self.states[0].body_q, self.states[0].body_qd))
        rotations = np.array([rotation_from_quaternion(row[3:] / np.linalg.norm(row[3:])) for row in q])
        return q[:, :3], rotations.reshape(-1, 3, 3), qd[:, :3], qd[:, 3:]

    def _contact(self, a: int, b: int) -> tuple[Array, Array]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.solver.update_contacts(self.contacts)
        count = int(self.contacts.rigid_contact_count.numpy()[0])
        body_of = np.append(self.model.shape_body.numpy(), -1)
        forces = self.contacts.force.numpy()[:count, :3].astype(np.float64)
        first = body_of[self.contacts.rigid_contact_shape0.numpy()[:count]]
        second = body_of[self.contacts.rigid_contact_shape1.numpy()[:count]]
        local = self.contacts.rigid_contact_point0.numpy()[:count].astype(np.float64)
        x, r, _, _ = self._bodies()
        points = np.array([p if i < 0 else x[i] + r[i] @ p for i, p in zip(first, local, strict=True)]).reshape(-1, 3)
        on_a, on_b = (first == a) & (second == b), (first == b) & (second == a)
        return np.concatenate([points[on_a], points[on_b]]), np.concatenate([forces[on_a], -forces[on_b]])

    def _reaction(self, body: int) -> tuple[Array, Array]:
        wrenches = self.states[0].body_parent_f
        if wrenches is None:
            raise NotYetError("no joint reactions")
        wrench = wrenches.numpy()[body].astype(np.float64)
        return wrench[:3], wrench[3:]
