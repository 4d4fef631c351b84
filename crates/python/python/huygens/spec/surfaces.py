"""Shapes that collide, and their materials.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec, either

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import IntegerRows, Matrix, Ref, Vector

__all__ = [
    "ContactPair",
    "ContactStiffness",
    "Decompose",
    "Material",
    "Shape",
]


class Material(Spec):
    """Surface of a shape: one set of numbers for both contact laws.

    Where two materials meet, the lesser friction, restitution, rolling and spinning friction and cohesion
    counts, and their elasticities act in series; ``contact_pairs`` says otherwise for single pairs.
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        adhesion_dmt: float | None = None,
        cleanliness: float | None = None,
        cohesion_density: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> None:
        """Describe it by its keys.

        Args:
            name: Name, unique among the materials.
            friction: Coefficient of friction. Default: ``0.6``.
            restitution: Coefficient of restitution, 0 to 1. Default: ``0``.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
                Default: ``0``.
            spinning_friction: Spinning friction [m]. Default: ``0``.
            cohesion: Force that must be overcome to part two surfaces [N]. Default: ``0``.
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid. Default: ``0``.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero. Default:
                ``0``.
            young: Young's modulus [Pa], compliant law. Default: ``20000000``.
            poisson: Poisson's ratio, compliant law. Default: ``0.3``.
            adhesion_dmt: Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with
                ``adhesion = "dmt"``. Default: ``0``.
            cleanliness: Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                Default: ``0``.
            cohesion_density: Energy density of adhesion that grows with the area of contact [J/m³],
                compliant law with ``adhesion = "sjkr"``. Default: ``0``.
            stiffness: Coefficients of the compliant law given directly instead of through ``young`` and
                ``poisson``.
        """
        super().__init__(
            name=name,
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            young=young,
            poisson=poisson,
            adhesion_dmt=adhesion_dmt,
            cleanliness=cleanliness,
            cohesion_density=cohesion_density,
            stiffness=stiffness,
        )

    @classmethod
    def rigid(
        cls,
        *,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        adhesion_dmt: float | None = None,
        cleanliness: float | None = None,
        cohesion_density: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build a material for the rigid law; what is not given has its default.

        Args:
            name: Name, unique among the materials.
            friction: Coefficient of friction. Default: ``0.6``.
            restitution: Coefficient of restitution, 0 to 1. Default: ``0``.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
                Default: ``0``.
            spinning_friction: Spinning friction [m]. Default: ``0``.
            cohesion: Force that must be overcome to part two surfaces [N]. Default: ``0``.
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid. Default: ``0``.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero. Default:
                ``0``.
            young: Young's modulus [Pa], compliant law. Default: ``20000000``.
            poisson: Poisson's ratio, compliant law. Default: ``0.3``.
            adhesion_dmt: Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with
                ``adhesion = "dmt"``. Default: ``0``.
            cleanliness: Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                Default: ``0``.
            cohesion_density: Energy density of adhesion that grows with the area of contact [J/m³],
                compliant law with ``adhesion = "sjkr"``. Default: ``0``.
            stiffness: Coefficients of the compliant law given directly instead of through ``young`` and
                ``poisson``.
        """
        return cls(
            name=name,
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            young=young,
            poisson=poisson,
            adhesion_dmt=adhesion_dmt,
            cleanliness=cleanliness,
            cohesion_density=cohesion_density,
            stiffness=stiffness,
        )

    @classmethod
    def elastic(
        cls,
        young: float,
        poisson: float = 0.3,
        *,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        adhesion_dmt: float | None = None,
        cleanliness: float | None = None,
        cohesion_density: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build a material for the compliant law.

        Args:
            young: Young's modulus [Pa], compliant law.
            poisson: Poisson's ratio, compliant law. Default: ``0.3``.
            name: Name, unique among the materials.
            friction: Coefficient of friction. Default: ``0.6``.
            restitution: Coefficient of restitution, 0 to 1. Default: ``0``.
            rolling_friction: Rolling friction [m]: the arm by which the normal force resists rolling.
                Default: ``0``.
            spinning_friction: Spinning friction [m]. Default: ``0``.
            cohesion: Force that must be overcome to part two surfaces [N]. Default: ``0``.
            compliance: Normal compliance of the rigid law [m/N]; zero is perfectly rigid. Default: ``0``.
            damping: Normal damping of the rigid law [N·s/m], where ``compliance`` is not zero. Default:
                ``0``.
            adhesion_dmt: Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with
                ``adhesion = "dmt"``. Default: ``0``.
            cleanliness: Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
                Default: ``0``.
            cohesion_density: Energy density of adhesion that grows with the area of contact [J/m³],
                compliant law with ``adhesion = "sjkr"``. Default: ``0``.
            stiffness: Coefficients of the compliant law given directly instead of through ``young`` and
                ``poisson``.
        """
        return cls(
            name=name,
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            young=young,
            poisson=poisson,
            adhesion_dmt=adhesion_dmt,
            cleanliness=cleanliness,
            cohesion_density=cohesion_density,
            stiffness=stiffness,
        )


class ContactPair(Spec):
    """An exception: whether two bodies may touch, or what two materials make together."""

    __slots__ = ()

    @classmethod
    def bodies(cls, a: Ref, b: Ref, *, collide: bool) -> Self:
        """Take two bodies out, or let two bodies touch that a joint connects.

        Args:
            a: Two bodies, for ``collide``.
            b: Two bodies, for ``collide``.
            collide: Whether the two bodies touch: ``false`` takes them out, ``true`` lets bodies touch
                that a joint connects.
        """
        return cls(bodies=[a, b], collide=collide)

    @classmethod
    def materials(
        cls,
        a: Ref,
        b: Ref,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        spinning_friction: float | None = None,
        cohesion: float | None = None,
        compliance: float | None = None,
        damping: float | None = None,
        stiffness: ContactStiffness | Mapping[str, Any] | None = None,
    ) -> Self:
        """Give two materials numbers of their own; what is absent follows from the materials.

        Args:
            a: Two materials, for the numbers below; what is absent follows from the materials.
            b: Two materials, for the numbers below; what is absent follows from the materials.
            friction: Coefficient of friction.
            restitution: Coefficient of restitution, 0 to 1.
            rolling_friction: Rolling friction [m].
            spinning_friction: Spinning friction [m].
            cohesion: Cohesive force [N].
            compliance: Normal compliance of the rigid law [m/N].
            damping: Normal damping of the rigid law [N·s/m].
            stiffness: Coefficients of the compliant law.
        """
        return cls(
            materials=[a, b],
            friction=friction,
            restitution=restitution,
            rolling_friction=rolling_friction,
            spinning_friction=spinning_friction,
            cohesion=cohesion,
            compliance=compliance,
            damping=damping,
            stiffness=stiffness,
        )


class Shape(Spec):
    """A shape of a body: what it collides with, what it is seen by, and where its mass is."""

    __slots__ = ()

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Ball: ``radius``.

        Args:
            radius: Radius [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="sphere",
            radius=radius,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def ellipsoid(
        cls,
        radii: Vector,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Ellipsoid: ``radii`` along x, y, z.

        Args:
            radii: Semi-axes of an ellipsoid [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="ellipsoid",
            radii=radii,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def box(
        cls,
        size: Vector,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Block: ``size``.

        Args:
            size: Edge lengths [m]: three of a box or rounded box, two of a height field.
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="box",
            size=size,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def capsule(
        cls,
        radius: float,
        length: float,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Cylinder with half balls at its ends: ``radius``, ``length`` between the balls.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="capsule",
            radius=radius,
            length=length,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Cylinder: ``radius``, ``length``.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="cylinder",
            radius=radius,
            length=length,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def cone(
        cls,
        radius: float,
        length: float,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Cone with its apex at +z: ``radius`` of the base, ``length``.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="cone",
            radius=radius,
            length=length,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def rounded_box(
        cls,
        size: Vector,
        border: float,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Block with round edges: outer ``size``, radius ``border`` of the edges.

        Args:
            size: Edge lengths [m]: three of a box or rounded box, two of a height field.
            border: Radius of the edges of a rounded shape [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="rounded_box",
            size=size,
            border=border,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def rounded_cylinder(
        cls,
        radius: float,
        length: float,
        border: float,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Cylinder with round edges: outer ``radius`` and ``length``, radius ``border`` of the edges.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            border: Radius of the edges of a rounded shape [m].
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="rounded_cylinder",
            radius=radius,
            length=length,
            border=border,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )

    @classmethod
    def hull(
        cls,
        points: Matrix | str | os.PathLike[str],
        *,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Convex hull: of ``points``, or of the points of a mesh ``file``.

        Args:
            points: Points of a hull or mesh [m]. Or the path of a file of them.
            scale: Metres of one unit of the ``file``, ``points`` or ``heights``.
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="hull",
            scale=scale,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
            **either("points", "file", points),
        )

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: IntegerRows | None = None,
        *,
        scale: float | None = None,
        decompose: Decompose | Mapping[str, Any] | bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Triangle mesh, counter-clockwise seen from outside: of ``points`` and ``triangles``, or from a
        ``file`` (OBJ, STL); ``decompose``.

        Args:
            points: Points of a hull or mesh [m]. Or the path of a file of them.
            triangles: Triangles of a mesh: the places of their corners among ``points``, counted from 0.
            scale: Metres of one unit of the ``file``, ``points`` or ``heights``.
            decompose: Cuts a concave mesh into convex hulls that collide in its place.
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="mesh",
            triangles=triangles,
            scale=scale,
            decompose={} if decompose is True else decompose or None,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
            **either("points", "file", points),
        )

    @classmethod
    def height_field(
        cls,
        size: Vector,
        heights: Matrix | str | os.PathLike[str],
        *,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Ground below ``heights`` over a rectangle of edges ``size``, or from a ``file`` of numbers.

        Args:
            size: Edge lengths [m]: three of a box or rounded box, two of a height field.
            heights: Rows of heights [m]: each along x, the rows along y. Or the path of a file of them.
            scale: Metres of one unit of the ``file``, ``points`` or ``heights``.
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="height_field",
            size=size,
            scale=scale,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
            **either("heights", "file", heights),
        )

    @classmethod
    def half_space(
        cls,
        *,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        group: int | str | None = None,
        mask: Sequence[int | str] | None = None,
        collide: bool | None = None,
        visible: bool | None = None,
        color: str | None = None,
        density: float | None = None,
    ) -> Self:
        """Everything below its plane z = 0.

        Args:
            position: Position in the body frame [m].
            rotation: Orientation in the body frame.
            axis: Direction of its z axis in the body frame, a unit vector; instead of ``rotation``.
            material: Name of its material; ``default`` if absent.
            group: Group it belongs to; group 0 if absent.
            mask: Groups it touches; all if absent.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
        """
        return cls(
            type="half_space",
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            group=group,
            mask=mask,
            collide=collide,
            visible=visible,
            color=color,
            density=density,
        )


class ContactStiffness(Spec):
    """Coefficients of the compliant contact law given directly, instead of through ``young`` and ``poisson``."""

    __slots__ = ()

    def __init__(
        self,
        normal: float,
        *,
        tangential: float | None = None,
        normal_damping: float | None = None,
        tangential_damping: float | None = None,
    ) -> None:
        """Describe it by its keys.

        Args:
            normal: Normal stiffness [N/m] (Hooke) or [N/m²] (Hertz, times √(R δ)).
            tangential: Tangential stiffness, same dimension. Default: ``0``.
            normal_damping: Normal damping [1/s] (Hooke) or [1/(m·s)] (Hertz). Default: ``0``.
            tangential_damping: Tangential damping, same dimension. Default: ``0``.
        """
        super().__init__(
            normal=normal,
            tangential=tangential,
            normal_damping=normal_damping,
            tangential_damping=tangential_damping,
        )


class Decompose(Spec):
    """How a concave mesh is cut into convex hulls; the hulls are kept in a file beside the mesh."""

    __slots__ = ()

    def __init__(
        self,
        *,
        resolution: int | None = None,
        concavity: float | None = None,
        max_hulls: int | None = None,
        max_vertices: int | None = None,
    ) -> None:
        """Describe it by its keys.

        Args:
            resolution: Voxels along the longest side of the mesh, 8 to 256; time grows with its cube.
                Default: ``64``.
            concavity: Volume between a part and its hull above which it is cut on, relative to the hull
                of the mesh; 0 to 1. Default: ``0.01``.
            max_hulls: Most hulls, 1 to 256. Default: ``32``.
            max_vertices: Most vertices of a hull, 8 to 1024. Default: ``64``.
        """
        super().__init__(resolution=resolution, concavity=concavity, max_hulls=max_hulls, max_vertices=max_vertices)
