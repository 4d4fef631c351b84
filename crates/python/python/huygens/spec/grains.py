"""Granular matter: grains and the walls they touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from .._plain import Spec
from .surfaces import _is_path
from .values import Matrix, Ref, Rotate, Rotation, Vector

if TYPE_CHECKING:
    import os

    from typing_extensions import Self, Unpack

    _Side = Literal["inside", "outside"]
    _Face = Literal["-x", "+x", "-y", "+y", "-z", "+z"]

__all__ = ["Grains", "Particles", "Wall"]


class WallArguments(TypedDict, total=False):
    """Place of a wall, and who moves it.

    Its place is given by ``position`` [m] and ``rotation`` or the direction ``axis`` of its z axis, in the world or in
    the frame of the ``body`` that carries it. ``motion`` (``translation``, ``axis``, ``angle``) prescribes its motion
    by functions of time.
    """

    name: str
    position: Vector
    rotation: Rotation | Rotate
    axis: Vector
    material: Ref
    body: Ref
    motion: Mapping[str, Any]
    visible: bool


class Wall(Spec):
    """A wall that grains touch: at rest, moved by functions of time, or a body or a structure that feels the grains.

    Round walls have their axis along z; all are centred on their origin.
    """

    __slots__ = ()

    @classmethod
    def plane(cls, **wall: Unpack[WallArguments]) -> Self:
        """Plane z = 0; grains are above it, on the side of ``axis``."""
        return cls(type="plane", **wall)

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        side: _Side | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
        **wall: Unpack[WallArguments],
    ) -> Self:
        """Cylinder; radius and length [m], and which of its ends are closed."""
        return cls(type="cylinder", radius=radius, length=length, side=side, ends=ends, **wall)

    @classmethod
    def cone(
        cls,
        radii: Vector,
        length: float,
        *,
        side: _Side | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
        **wall: Unpack[WallArguments],
    ) -> Self:
        """Cone; radii at its lower and upper end and length [m], and which of its ends are closed."""
        return cls(type="cone", radii=radii, length=length, side=side, ends=ends, **wall)

    @classmethod
    def sphere(cls, radius: float, *, side: _Side | None = None, **wall: Unpack[WallArguments]) -> Self:
        """Sphere; radius [m]."""
        return cls(type="sphere", radius=radius, side=side, **wall)

    @classmethod
    def disc(cls, radius: float, **wall: Unpack[WallArguments]) -> Self:
        """Disc, touched from both sides; radius [m]."""
        return cls(type="disc", radius=radius, **wall)

    @classmethod
    def rectangle(cls, size: Vector, **wall: Unpack[WallArguments]) -> Self:
        """Rectangle, touched from both sides; edge lengths along x and y [m]."""
        return cls(type="rectangle", size=size, **wall)

    @classmethod
    def box(
        cls,
        size: Vector,
        *,
        side: _Side | None = None,
        open: Sequence[_Face] = (),
        **wall: Unpack[WallArguments],
    ) -> Self:
        """Box; edge lengths [m], and faces that are missing, such as ``["+z"]``."""
        return cls(type="box", size=size, side=side, open=list(open) or None, **wall)

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: Sequence[Sequence[int]] | NDArray[np.integer[Any]] | None = None,
        *,
        scale: float | None = None,
        **wall: Unpack[WallArguments],
    ) -> Self:
        """Triangles, touched from both sides, from an OBJ or STL file or of points and triangles."""
        key = "file" if _is_path(points) else "points"
        return cls(type="mesh", **{key: points}, triangles=triangles, scale=scale, **wall)

    @classmethod
    def of_body(cls, body: Ref, /, **wall: Unpack[WallArguments]) -> Self:
        """Build the wall of the shapes that a body collides with."""
        return cls(**{**wall, "type": "body", "body": body})

    @classmethod
    def of_structure(cls, structure: Ref, /, *, name: str | None = None, material: Ref | None = None) -> Self:
        """Build the wall of the lines of a flexible structure that has a contact surface."""
        return cls(type="structure", structure=structure, name=name, material=material)


class Particles(Spec):
    """Grains given one by one: ``positions`` [m], (n, 3), ``radius`` of all or ``radii`` of each [m].

    A path instead of positions names a CSV file of ``x, y, z, radius`` and, if grains move, ``vx, vy, vz``.
    """

    __slots__ = ()

    def __init__(
        self,
        positions: Matrix | str | os.PathLike[str],
        *,
        density: float,
        radius: float | None = None,
        radii: Vector | None = None,
        velocity: Vector | None = None,
        velocities: Matrix | None = None,
        angular_velocities: Matrix | None = None,
        material: Ref | None = None,
    ) -> None:
        key = "file" if _is_path(positions) else "positions"
        super().__init__(
            **{key: positions},
            density=density,
            radius=radius,
            radii=radii,
            velocity=velocity,
            velocities=velocities,
            angular_velocities=angular_velocities,
            material=material,
        )


class Grains(Spec):
    """Granular matter: spheres under the compliant contact law, and the walls they touch.

    ``material`` is that of grains and walls without one of their own. ``laws`` composes the contact law
    (``{"normal": "hertz", "tangential": "mindlin", ...}``; that of the settings if absent). ``step`` is the longest
    step [s], or ``"auto"``; ``speed`` [m/s] the fastest impacts that ``"auto"`` counts on. ``periodic`` names the
    axes along which everything repeats, as ``{"x": (0, 0.1)}``. Grains come from ``particles``, ``clumps`` (``spheres``
    that move as one, and ``positions``), ``fills`` (a ``region`` or ``mesh``, a ``pattern``, ``radius`` or ``sizes``
    and ``density``, or a ``clump``) and ``inlets``, and go at ``outlets`` and at the
    ``boundary``. ``measures`` are written to files by `run_scene`. All their keys are those of scene files.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        *,
        material: Ref | None = None,
        laws: Mapping[str, Any] | None = None,
        step: float | Literal["auto"] | None = None,
        speed: float | None = None,
        periodic: Mapping[str, Vector] | None = None,
        walls: Sequence[Wall | Mapping[str, Any]] | None = None,
        particles: Sequence[Particles | Mapping[str, Any]] | None = None,
        clumps: Sequence[Mapping[str, Any]] | None = None,
        fills: Sequence[Mapping[str, Any]] | None = None,
        inlets: Sequence[Mapping[str, Any]] | None = None,
        outlets: Sequence[Mapping[str, Any]] | None = None,
        boundary: Mapping[str, Any] | None = None,
        drag: Mapping[str, Any] | None = None,
        near_field: Mapping[str, Any] | None = None,
        measures: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(
            name=name,
            material=material,
            laws=laws,
            step=step,
            speed=speed,
            periodic=periodic,
            walls=walls,
            particles=particles,
            clumps=clumps,
            fills=fills,
            inlets=inlets,
            outlets=outlets,
            boundary=boundary,
            drag=drag,
            near_field=near_field,
            measures=measures,
        )
