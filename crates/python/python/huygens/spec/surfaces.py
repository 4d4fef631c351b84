"""Shapes that collide, their materials, how contact is resolved, and many bodies at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from .._plain import Spec
from .values import Frame, Matrix, Ref, Rotate, Rotation, Vector

if TYPE_CHECKING:
    import os

    from typing_extensions import Self, Unpack


__all__ = ["Contact", "ContactPair", "Fill", "Material", "Shape"]


class SurfaceArguments(TypedDict, total=False):
    """Numbers that two surfaces have together."""

    friction: float
    restitution: float
    rolling_friction: float
    spinning_friction: float
    cohesion: float
    compliance: float
    damping: float
    stiffness: Mapping[str, float]


class ElasticArguments(SurfaceArguments, total=False):
    """Numbers of a material besides its elasticity."""

    name: str
    adhesion_dmt: float
    cleanliness: float
    cohesion_density: float


class MaterialArguments(ElasticArguments, total=False):
    """Numbers of a material, for both contact laws."""

    young: float
    poisson: float


class Material(Spec):
    """Surface of a shape: one set of numbers for both contact laws.

    ``friction``, ``restitution`` (0 to 1), ``rolling_friction`` and ``spinning_friction`` [m], ``cohesion`` [N]; for
    the rigid law ``compliance`` [m/N] and ``damping`` [N·s/m]; for the compliant law ``young`` [Pa] and ``poisson``,
    or ``stiffness`` with ``normal``, ``tangential``, ``normal_damping``, ``tangential_damping``.
    """

    __slots__ = ()

    def __init__(self, **material: Unpack[MaterialArguments]) -> None:
        super().__init__(**material)

    @classmethod
    def rigid(cls, **material: Unpack[MaterialArguments]) -> Self:
        """Build a material for the rigid law; what is not given has its default."""
        return cls(**material)

    @classmethod
    def elastic(cls, young: float, poisson: float = 0.3, **material: Unpack[ElasticArguments]) -> Self:
        """Build a material of Young's modulus ``young`` [Pa] and Poisson's ratio, for the compliant law."""
        return cls(young=young, poisson=poisson, **material)


class ShapeArguments(TypedDict, total=False):
    """Place of a shape in its body, and how it takes part.

    Its place is given by ``position`` [m] and ``rotation`` or the direction ``axis`` of its z axis. It touches shapes
    of the groups in ``mask`` and is of ``group`` itself (names, or numbers from 0 to 31). With ``collide=False`` it
    is only seen, with ``visible=False`` it only collides.
    """

    position: Vector
    rotation: Rotation | Rotate
    axis: Vector
    material: Ref
    group: str | int
    mask: Sequence[str | int]
    collide: bool
    visible: bool
    color: str
    density: float


class Shape(Spec):
    """A shape of a body: what it collides with, what it is seen by, and where its mass is.

    Round shapes have their axis along z; all are centred on their origin.
    """

    __slots__ = ()

    @classmethod
    def sphere(cls, radius: float, **shape: Unpack[ShapeArguments]) -> Self:
        """Ball; radius [m]."""
        return cls(type="sphere", radius=radius, **shape)

    @classmethod
    def ellipsoid(cls, radii: Vector, **shape: Unpack[ShapeArguments]) -> Self:
        """Ellipsoid; semi-axes [m]."""
        return cls(type="ellipsoid", radii=radii, **shape)

    @classmethod
    def box(cls, size: Vector, **shape: Unpack[ShapeArguments]) -> Self:
        """Block; edge lengths [m]."""
        return cls(type="box", size=size, **shape)

    @classmethod
    def capsule(cls, radius: float, length: float, **shape: Unpack[ShapeArguments]) -> Self:
        """Cylinder with half balls at its ends; radius and length between the balls [m]."""
        return cls(type="capsule", radius=radius, length=length, **shape)

    @classmethod
    def cylinder(cls, radius: float, length: float, **shape: Unpack[ShapeArguments]) -> Self:
        """Cylinder; radius and length [m]."""
        return cls(type="cylinder", radius=radius, length=length, **shape)

    @classmethod
    def cone(cls, radius: float, length: float, **shape: Unpack[ShapeArguments]) -> Self:
        """Cone with its apex at +z; radius of the base and length [m]."""
        return cls(type="cone", radius=radius, length=length, **shape)

    @classmethod
    def rounded_box(cls, size: Vector, border: float, **shape: Unpack[ShapeArguments]) -> Self:
        """Block with round edges; outer edge lengths and radius of the edges [m]."""
        return cls(type="rounded_box", size=size, border=border, **shape)

    @classmethod
    def rounded_cylinder(
        cls, radius: float, length: float, border: float, **shape: Unpack[ShapeArguments]
    ) -> Self:
        """Cylinder with round edges; outer radius and length, and radius of the edges [m]."""
        return cls(type="rounded_cylinder", radius=radius, length=length, border=border, **shape)

    @classmethod
    def hull(
        cls,
        points: Matrix | str | os.PathLike[str],
        *,
        scale: float | None = None,
        **shape: Unpack[ShapeArguments],
    ) -> Self:
        """Convex hull of points, (n, 3), or of the points of a mesh file, in units of ``scale`` [m]."""
        key = "file" if _is_path(points) else "points"
        return cls(type="hull", **{key: points}, scale=scale, **shape)

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: Sequence[Sequence[int]] | NDArray[np.integer[Any]] | None = None,
        *,
        scale: float | None = None,
        decompose: Mapping[str, float] | bool | None = None,
        **shape: Unpack[ShapeArguments],
    ) -> Self:
        """Triangle mesh from an OBJ or STL file, or of points, (n, 3), and triangles, (m, 3); units of ``scale`` [m].

        Triangles hold places in ``points``, counted from 0, counter-clockwise seen from outside. ``decompose`` cuts a
        concave mesh into convex hulls that collide in its place: ``True``, or settings ``resolution``, ``concavity``,
        ``max_hulls``, ``max_vertices``.
        """
        cut = {} if decompose is True else decompose or None
        key = "file" if _is_path(points) else "points"
        return cls(type="mesh", **{key: points}, triangles=triangles, scale=scale, decompose=cut, **shape)

    @classmethod
    def height_field(
        cls,
        size: Vector,
        heights: Matrix | str | os.PathLike[str],
        *,
        scale: float | None = None,
        **shape: Unpack[ShapeArguments],
    ) -> Self:
        """Ground below ``heights``, in units of ``scale`` [m], over a rectangle of edges ``size`` [m].

        The rows of ``heights`` run along x, one row after another along y; or it is a file of such rows.
        """
        key = "file" if _is_path(heights) else "heights"
        return cls(type="height_field", size=size, **{key: heights}, scale=scale, **shape)

    @classmethod
    def half_space(cls, **shape: Unpack[ShapeArguments]) -> Self:
        """Everything below the plane z = 0."""
        return cls(type="half_space", **shape)


class ContactArguments(TypedDict, total=False):
    """Settings of the rigid law."""

    solver: Literal["apgd", "psor", "interior_point"]
    max_iterations: int
    tolerance: float
    warm_start: bool
    relaxation: float
    stabilization: float
    overlap: float
    recovery_speed: float
    bounce_threshold: float
    friction: Literal["relaxed", "coulomb"]
    friction_iterations: int
    joints: Literal["direct", "rows"]
    on_failure: Literal["accept", "warn", "stop"]


class Contact(Spec):
    """How contacts are found and resolved.

    ``law`` is ``"rigid"`` or ``"compliant"``; other keywords are settings of the rigid law, such as ``solver``
    (``"apgd"``, ``"psor"``, ``"interior_point"``), ``max_iterations``, ``tolerance`` [m/s]. ``compliant`` names the
    laws that the compliant law is composed of. ``envelope`` [m] is the gap below which contacts are treated.
    """

    __slots__ = ()

    def __init__(
        self,
        law: Literal["rigid", "compliant"] | None = None,
        *,
        envelope: float | None = None,
        compliant: Mapping[str, Any] | None = None,
        **rigid: Unpack[ContactArguments],
    ) -> None:
        super().__init__(law=law, envelope=envelope, rigid=rigid or None, compliant=compliant)


class ContactPair(Spec):
    """An exception: whether two bodies touch, or what two materials make together."""

    __slots__ = ()

    @classmethod
    def bodies(cls, a: Ref, b: Ref, *, collide: bool) -> Self:
        """Take two bodies out, or let two bodies touch that a joint connects."""
        return cls(bodies=[a, b], collide=collide)

    @classmethod
    def materials(cls, a: Ref, b: Ref, **surface: Unpack[SurfaceArguments]) -> Self:
        """Give two materials numbers of their own; what is absent follows from the materials."""
        return cls(materials=[a, b], **surface)


class Fill(Spec):
    """Many equal bodies on a lattice, along x first, then y, then z; their names are ``name.1``, ``name.2`` ...

    Either ``count`` bodies along x, y and z, the first at ``position`` [m], or as many as fit into a ``region`` given
    by its lowest and highest corner [m]; neighbours have distances ``spacing`` [m], the extent of the shape if
    absent. ``density`` is in kg/m³.
    """

    __slots__ = ()

    def __init__(
        self,
        shape: Shape | Mapping[str, Any],
        density: float,
        *,
        name: str | None = None,
        count: Sequence[int] | None = None,
        position: Vector | None = None,
        region: Sequence[Vector] | None = None,
        frame: Frame | Mapping[str, Any] | None = None,
        spacing: Vector | None = None,
        jitter: float | None = None,
        rotation: Rotation | Rotate | None = None,
        random_rotation: bool | None = None,
        velocity: Vector | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(
            shape=shape,
            density=density,
            name=name,
            count=count,
            position=position,
            region=region,
            frame=frame,
            spacing=spacing,
            jitter=jitter,
            rotation=rotation,
            random_rotation=random_rotation,
            velocity=velocity,
            seed=seed,
        )


def with_material(shape: Shape | Mapping[str, Any], material: Ref | None) -> Shape | Mapping[str, Any]:
    """Give a shape a material, unless it has one."""
    keys = shape.spec if isinstance(shape, Spec) else shape
    if material is None or keys.get("material") is not None:
        return shape
    return {**keys, "material": material}


def _is_path(source: object) -> bool:
    return isinstance(source, str) or hasattr(source, "__fspath__")
