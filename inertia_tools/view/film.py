# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A video of a simulation, without a window or a graphics card: ray-traced collisions on a chequered floor."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.errors import MissingDependencyError, OptionError, WriteError
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.rays.ray_scene import RayHits
    from inertia_tools.sim.simulation import Simulation

RATE = 30
"""Images per simulated second."""

ANIMATED = {".gif": "GIF", ".webp": "WEBP", ".png": "PNG"}
"""Suffixes of animated images, and their names in Pillow."""

FROM = np.array([1.0, -1.4, 0.6])
"""Direction from the target to the camera."""

FIELD = np.tan(np.radians(20.0))
"""Half the vertical field of view, over the distance."""

LIGHT = np.array([0.5, -0.3, 0.8])
"""Direction to the light."""

DARKEST = 0.35
"""Brightness in the shadow."""

HAZE = 3.0
"""Visual range, over the distance of the camera from its target."""

SKY, HORIZON = np.array([0.45, 0.62, 0.85]), np.array([0.93, 0.95, 0.97])
FLOOR = np.array([[0.78, 0.79, 0.80], [0.68, 0.69, 0.71]])
PAINTS = np.array([[0.90, 0.55, 0.20], [0.30, 0.50, 0.75], [0.45, 0.65, 0.35], [0.70, 0.45, 0.65], [0.85, 0.75, 0.35]])


@dataclass(eq=False)
class Film:
    """Images of a simulation from a fixed camera.

    Args:
        simulation: The simulation; the camera is placed so that all links in their current poses, and the space below
            them down to the world's origin, are in view.
        width: Width of an image [px].
        height: Height of an image [px].

    Raises:
        OptionError: An image has fewer than 16 pixels along a side, or an odd number, which videos do not allow.
    """

    simulation: Simulation
    width: int = 480
    height: int = 360
    pictures: list[Any] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Place the camera."""
        for name, size in (("width", self.width), ("height", self.height)):
            if size < 16 or size % 2:
                raise OptionError(name, size, "an even number of pixels, at least 16")
        places = self.simulation.snapshot().positions
        low, high = np.minimum(places.min(axis=0), [np.inf, np.inf, 0.0]), places.max(axis=0)
        middle, reach = 0.5 * (low + high), max(0.6 * float(np.linalg.norm(high - low)), 0.25)
        ahead = -FROM / np.linalg.norm(FROM)
        self._away = 1.2 * reach / FIELD
        self._eye = middle - self._away * ahead
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, ahead)
        across = np.linspace(-1.0, 1.0, self.width) * FIELD * self.width / self.height
        down = np.linspace(1.0, -1.0, self.height) * FIELD
        grid = ahead + across[None, :, None] * right + down[:, None, None] * up
        self._directions = grid.reshape(-1, 3) / np.linalg.norm(grid.reshape(-1, 3), axis=1)[:, None]
        self._tile = 10.0 ** np.floor(np.log10(reach))

    def take(self) -> None:
        """Take an image, if the next one is due."""
        if self.simulation.time >= len(self.pictures) / RATE - 1e-9:
            self.pictures.append(self.picture())

    def picture(self) -> Any:
        """Return an image of the current scene, shape (height, width, 3), 8 bits per colour."""
        hits = self.simulation.ray_cast(self._eye, self._directions)
        met = np.isfinite(hits.distances)
        paint = self._paint(hits, met)
        light = np.zeros(len(met))
        light[met] = self._light(hits.points[met], hits.normals[met])
        clear = np.exp(-((hits.distances / (HAZE * self._away)) ** 2))[:, None]  # fades squares that are too small
        colours = clear * paint * (DARKEST + (1.0 - DARKEST) * light)[:, None] + (1.0 - clear) * self._sky()
        return np.round(255.0 * np.clip(colours, 0.0, 1.0)).astype(np.uint8).reshape(self.height, self.width, 3)

    def _sky(self) -> Array:
        part = np.clip(2.0 * self._directions[:, 2:], 0.0, 1.0)
        return np.asarray((1.0 - part) * HORIZON + part * SKY)

    def _paint(self, hits: RayHits, met: Any) -> Array:
        """Return the colour at each ray's hit: one per link, squares on the floor."""
        names = [*self.simulation.names, WORLD_NAME]
        number = {name: index for index, name in enumerate(names)}
        of_ray = np.array([number.get(link, -1) if link is not None else -1 for link in hits.links])
        colours = PAINTS[of_ray % len(PAINTS)]
        floor = met & (of_ray == number[WORLD_NAME])
        squares = np.floor(hits.points[floor, :2] / self._tile).astype(int).sum(axis=1) % 2
        colours[floor] = FLOOR[squares]
        return np.asarray(colours)

    def _light(self, points: Array, normals: Array) -> Array:
        """Return the fraction of sunlight that reaches points of surfaces, from 0 to 1."""
        sun = LIGHT / np.linalg.norm(LIGHT)
        facing = np.clip(normals @ sun, 0.0, 1.0)
        shaded = np.isfinite(
            self.simulation.ray_cast(points + 1e-4 * normals, np.tile(sun, (len(points), 1))).distances
        )
        return np.asarray(np.where(shaded, 0.0, facing))


Encode = Callable[[Sequence[Any]], bytes]
"""Returns the bytes of a video from images."""


def encoder_of(path: str) -> Encode:
    """Return the encoder for the format of a path's suffix: GIF, WebP, APNG, or one of ffmpeg's.

    Without a suffix it is GIF.

    Raises:
        MissingDependencyError: Pillow, or the program ffmpeg, is not installed.
        WriteError: ffmpeg does not know the format.
    """
    suffix = PurePath(path).suffix.lower()
    return _pillow(ANIMATED.get(suffix, "GIF")) if suffix in ANIMATED or not suffix else _ffmpeg(path)


def _pillow(kind: str) -> Encode:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingDependencyError("pillow", "--video", "pip install pillow") from error

    def encode(pictures: Sequence[Any]) -> bytes:
        images, data = [Image.fromarray(picture) for picture in pictures], io.BytesIO()
        images[0].save(data, kind, save_all=True, append_images=images[1:], duration=1000.0 / RATE, loop=0)
        return data.getvalue()

    return encode


def _ffmpeg(path: str) -> Encode:
    program = shutil.which("ffmpeg")
    if program is None:
        raise MissingDependencyError("ffmpeg", f"--video {path}", "apt install ffmpeg, or name a .gif or .webp")

    def encode(pictures: Sequence[Any]) -> bytes:
        height, width = pictures[0].shape[:2]
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, f"video{PurePath(path).suffix}")
            source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(RATE), "-i", "-"]
            command = [program, "-loglevel", "error", *source, "-pix_fmt", "yuv420p", str(target)]
            done = subprocess.run(command, input=b"".join(one.tobytes() for one in pictures), capture_output=True)
            if done.returncode != 0:
                reason = done.stderr.decode(errors="replace").strip().splitlines()
                said = (reason[-1] if reason else "it failed").replace(f"{target}: ", "")
                raise WriteError(f"{path}: ffmpeg cannot write this format ({said}); use .mp4, .gif or .webp")
            return target.read_bytes()

    encode([np.zeros((16, 16, 3), dtype=np.uint8)])  # an unknown format fails now, not after the simulation
    return encode
