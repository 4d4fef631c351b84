"""Flexible structures: cables, beams, rods, bars and solids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .._plain import Spec
from .values import Matrix, Rotate, Rotation, Vector

if TYPE_CHECKING:
    import os

    from typing_extensions import Self, Unpack

    _Element = Literal["cable", "beam_ancf", "beam", "rod", "rod3", "bar", "rope", "tetrahedron"]
    _Items = str | int | Sequence[str | int]

__all__ = ["Section", "Structure"]


class Section(Spec):
    """A cross-section; y and z are its own axes, x goes along the line."""

    __slots__ = ()

    @classmethod
    def circle(cls, radius: float, **place: Any) -> Self:
        """Full circle; radius [m]."""
        return cls(type="circle", radius=radius, **place)

    @classmethod
    def rectangle(cls, width: float, height: float, **place: Any) -> Self:
        """Rectangle; sizes along y and z [m]."""
        return cls(type="rectangle", width=width, height=height, **place)

    @classmethod
    def tube(cls, radius: float, inner_radius: float, **place: Any) -> Self:
        """Ring; radii [m]."""
        return cls(type="tube", radius=radius, inner_radius=inner_radius, **place)

    @classmethod
    def user(cls, stiffness: Vector | Matrix, inertia: Vector | Matrix, **place: Any) -> Self:
        """Stiffness and inertia per length over stretch, shear, twist and bending: six numbers or six rows."""
        return cls(type="user", stiffness=stiffness, inertia=inertia, **place)


class StructureArguments(TypedDict, total=False):
    """What a structure is made of, what holds it and what acts on it; the keys of ``[[structures]]``."""

    name: str
    section: Section | Mapping[str, Any]
    material: Mapping[str, float]
    strain: Literal["material", "green"]
    damping: Mapping[str, float]
    position: Vector
    rotation: Rotation | Rotate
    scale: float
    copies: Mapping[str, Any]
    up: Vector
    velocity: Vector
    angular_velocity: Vector
    node_sets: Mapping[str, _Items]
    fixed: Sequence[Mapping[str, Any]]
    masses: Sequence[Mapping[str, Any]]
    loads: Sequence[Mapping[str, Any]]
    joints: Sequence[Mapping[str, Any]]
    contact: Mapping[str, Any]
    color: str


class Structure(Spec):
    """A flexible structure: nodes and elements that belong together.

    Lines become the ``element``: ``cable``, ``beam_ancf``, ``beam``, ``rod``, ``rod3``, ``bar`` or ``rope``.
    ``material`` has the keys ``young`` [Pa], ``poisson`` and ``density`` [kg/m³].
    """

    __slots__ = ()

    @classmethod
    def beam(
        cls, element: _Element, start: Vector, end: Vector, pieces: int, **more: Unpack[StructureArguments]
    ) -> Self:
        """Straight line between two places [m] in so many elements; its ends are ``start`` and ``end``."""
        return cls(element=element, generate={"type": "beam", "from": start, "to": end, "pieces": pieces}, **more)

    @classmethod
    def polyline(
        cls,
        element: _Element,
        points: Matrix,
        pieces: int = 1,
        *,
        closed: bool = False,
        **more: Unpack[StructureArguments],
    ) -> Self:
        """Smooth line through points [m], with so many elements between two; its ends are ``start`` and ``end``."""
        generate = {"type": "polyline", "points": points, "pieces": pieces, "closed": closed}
        return cls(element=element, generate=generate, **more)

    @classmethod
    def net(
        cls,
        element: _Element,
        sides: Matrix,
        meshes: Sequence[int],
        *,
        origin: Vector = (0, 0, 0),
        **more: Unpack[StructureArguments],
    ) -> Self:
        """Lines along two directions that cross; sets ``corners`` and ``border``."""
        generate = {"type": "net", "origin": origin, "sides": sides, "meshes": list(meshes)}
        return cls(element=element, generate=generate, **more)

    @classmethod
    def block(
        cls,
        size: Vector,
        cells: Sequence[int],
        *,
        origin: Vector = (0, 0, 0),
        split: Literal["five", "six"] | None = None,
        **more: Unpack[StructureArguments],
    ) -> Self:
        """Tetrahedra that fill a box; sets and surfaces ``x_min``, ``x_max`` and so on."""
        generate = {"type": "block", "origin": origin, "size": size, "cells": list(cells)}
        if split is not None:
            generate["split"] = split
        return cls(element="tetrahedron", generate=generate, **more)

    @classmethod
    def from_file(
        cls, file: str | os.PathLike[str], element: _Element = "tetrahedron", **more: Unpack[StructureArguments]
    ) -> Self:
        """Mesh file, ``.msh`` of Gmsh or ``.inp`` of Abaqus."""
        return cls(element=element, file=file, **more)
