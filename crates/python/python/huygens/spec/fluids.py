"""Fluids: what they are, and the walls, bodies and structures in them."""

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
    _Ends = Literal["open", "lower", "upper", "closed"]

__all__ = ["Fluid", "FluidWall"]


class FluidWallArguments(TypedDict, total=False):
    """Place of a wall of a fluid, and who moves it.

    Its place is given by ``position`` [m] and ``rotation`` or the direction ``axis`` of its z axis, in the world or in
    the frame of the ``body`` that carries it. ``motion`` (``translation``, ``axis``, ``angle``) prescribes its motion
    by functions of time. ``slip`` leaves out friction; ``layers`` is the number of layers of markers.
    """

    name: str
    position: Vector
    rotation: Rotation | Rotate
    axis: Vector
    body: Ref
    motion: Mapping[str, Any]
    slip: bool
    layers: int
    visible: bool


class FluidWall(Spec):
    """A wall of a fluid: at rest, moved by functions of time, or carried by a body that feels the fluid."""

    __slots__ = ()

    @classmethod
    def tank(
        cls, low: Vector, high: Vector, *, open: Sequence[_Face] = ("+z",), **wall: Unpack[FluidWallArguments]
    ) -> Self:
        """Box around the fluid between two corners [m], without the faces that are ``open``."""
        return cls(type="box", low=low, high=high, open=list(open) or None, **wall)

    @classmethod
    def block(cls, low: Vector, high: Vector, **wall: Unpack[FluidWallArguments]) -> Self:
        """Block in the fluid between two corners [m]."""
        return cls(type="box", side="outside", low=low, high=high, **wall)

    @classmethod
    def plane(cls, size: Vector, **wall: Unpack[FluidWallArguments]) -> Self:
        """Rectangle of edges ``size`` [m] in its plane z = 0; fluid is on the side of ``axis``."""
        return cls(type="plane", size=size, **wall)

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        side: _Side | None = None,
        ends: _Ends | None = None,
        **wall: Unpack[FluidWallArguments],
    ) -> Self:
        """Cylinder about z, centred; radius and length [m], and which of its ends are closed."""
        return cls(type="cylinder", radius=radius, length=length, side=side, ends=ends, **wall)

    @classmethod
    def sphere(cls, radius: float, **wall: Unpack[FluidWallArguments]) -> Self:
        """Ball in the fluid; radius [m]."""
        return cls(type="sphere", radius=radius, **wall)

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: Sequence[Sequence[int]] | NDArray[np.integer[Any]] | None = None,
        *,
        side: _Side | None = None,
        scale: float | None = None,
        **wall: Unpack[FluidWallArguments],
    ) -> Self:
        """Triangles, from an OBJ or STL file or of points and triangles; fluid is outside if not said."""
        key = "file" if _is_path(points) else "points"
        return cls(type="mesh", **{key: points}, triangles=triangles, side=side, scale=scale, **wall)

    @classmethod
    def height_field(
        cls,
        size: Vector,
        heights: Matrix | str | os.PathLike[str],
        *,
        scale: float | None = None,
        **wall: Unpack[FluidWallArguments],
    ) -> Self:
        """Ground below heights [m] over a rectangle of edges ``size`` [m]."""
        key = "file" if _is_path(heights) else "heights"
        return cls(type="height_field", size=size, **{key: heights}, scale=scale, **wall)

    @classmethod
    def points(cls, points: Matrix, **wall: Unpack[FluidWallArguments]) -> Self:
        """Markers one by one [m], (n, 3)."""
        return cls(type="points", points=points, **wall)


class Fluid(Spec):
    """A fluid, weakly compressible or made of constraints, with what is in it.

    ``method`` is ``"weakly_compressible"`` (smoothed particle hydrodynamics, in steps that sound limits) or
    ``"constraint"`` (densities are rows of the contact problem, in steps of the world); keys of one are refused by the
    other. The second has a ``law`` (``"density"`` or ``"spheres"``), ``bilateral``, ``normalized``, ``compliance``,
    ``stabilization``, ``clumping`` and the ``contact`` of its markers as balls.

    ``spacing`` [m] is the distance of particles. ``viscosity`` [Pa·s], or a ``rheology``; ``sound_speed`` [m/s], or ten
    times the ``max_speed`` that is expected, or of a fall through the height of the fluid. ``plane`` (``"xz"``) makes a
    flow in two dimensions. ``fills`` (a ``region``, ``mesh`` or ``points``, ``velocity``, ``hydrostatic``, ``carve``) are
    full at the start; ``walls``, ``bodies`` and ``structures`` meet the fluid, ``inlets`` and ``outlets`` let it in and
    out, ``bounds`` keep it. ``step`` is that of the fluid [s], or ``"auto"``. All keys are those of scene files.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        *,
        spacing: float,
        method: Literal["weakly_compressible", "constraint"] | None = None,
        density: float | None = None,
        viscosity: float | None = None,
        rheology: Mapping[str, Any] | None = None,
        sound_speed: float | None = None,
        max_speed: float | None = None,
        kernel: Literal["cubic_spline", "quintic_spline", "wendland_c2", "wendland_c4", "poly6_spiky"] | None = None,
        smoothing: float | None = None,
        state: Mapping[str, Any] | None = None,
        tension: bool | None = None,
        wall_model: Literal["projected", "balanced"] | None = None,
        viscous: Literal["morris", "laminar", "central"] | None = None,
        artificial: float | None = None,
        diffusion: float | None = None,
        xsph: float | None = None,
        shifting: Mapping[str, Any] | None = None,
        density_filter: Mapping[str, Any] | None = None,
        gradient_correction: bool | None = None,
        scheme: Literal["leapfrog", "predictor_corrector"] | None = None,
        law: Literal["density", "spheres"] | None = None,
        bilateral: bool | None = None,
        normalized: bool | None = None,
        compliance: float | None = None,
        stabilization: float | None = None,
        clumping: Mapping[str, Any] | None = None,
        contact: Mapping[str, Any] | None = None,
        plane: Literal["xy", "xz", "yz"] | None = None,
        periodic: Mapping[str, Vector] | None = None,
        step: float | Literal["auto"] | None = None,
        courant: float | None = None,
        acceleration: Vector | None = None,
        bounds: Mapping[str, Any] | None = None,
        fills: Sequence[Mapping[str, Any]] | None = None,
        walls: Sequence[FluidWall | Mapping[str, Any]] | None = None,
        bodies: Sequence[Ref] | None = None,
        structures: Sequence[Ref] | None = None,
        inlets: Sequence[Mapping[str, Any]] | None = None,
        outlets: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(
            name=name,
            spacing=spacing,
            method=method,
            density=density,
            viscosity=viscosity,
            rheology=rheology,
            sound_speed=sound_speed,
            max_speed=max_speed,
            kernel=kernel,
            smoothing=smoothing,
            state=state,
            tension=tension,
            wall_model=wall_model,
            viscous=viscous,
            artificial=artificial,
            diffusion=diffusion,
            xsph=xsph,
            shifting=shifting,
            density_filter=density_filter,
            gradient_correction=gradient_correction,
            scheme=scheme,
            law=law,
            bilateral=bilateral,
            normalized=normalized,
            compliance=compliance,
            stabilization=stabilization,
            clumping=clumping,
            contact=contact,
            plane=plane,
            periodic=periodic,
            step=step,
            courant=courant,
            acceleration=acceleration,
            bounds=bounds,
            fills=fills,
            walls=walls,
            bodies=bodies,
            structures=structures,
            inlets=inlets,
            outlets=outlets,
        )

    @staticmethod
    def box(low: Vector, high: Vector, **fill: Any) -> dict[str, Any]:
        """Return a fill of the box along the axes between two corners [m]."""
        return {"region": {"type": "box", "low": low, "high": high}, **fill}
