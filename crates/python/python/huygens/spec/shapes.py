"""Shapes that collide.

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
    "Decompose",
    "Shape",
]


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
        """Ball.

        Args:
            radius: Radius [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Ellipsoid.

        Args:
            radii: Semi-axes along x, y, z [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Block.

        Args:
            size: Edge lengths [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Cylinder with hemispheres at its ends.

        Args:
            radius: Radius [m].
            length: Length along z between the spheres [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Cylinder.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Cone with its apex at +z.

        Args:
            radius: Radius of the base [m].
            length: Length along z [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Block with round edges.

        Args:
            size: Outer edge lengths [m].
            border: Radius of the round edges [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        """Cylinder with round edges.

        Args:
            radius: Outer radius [m].
            length: Outer length along z [m].
            border: Radius of the round edges [m].
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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
        scale: float | None = None,
    ) -> Self:
        """Convex hull of ``points``, or of the points of a mesh ``file``.

        Args:
            points: Points [m]. Or the path of a file that holds them.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
        """
        return cls(
            type="hull",
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
            scale=scale,
            **either("points", "file", points),
        )

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: IntegerRows | None = None,
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
        scale: float | None = None,
        decompose: Decompose | Mapping[str, Any] | bool | None = None,
    ) -> Self:
        """Triangle mesh, counter-clockwise seen from outside: of ``points`` and ``triangles``, or from a
        ``file`` (OBJ, STL).

        Args:
            points: Points [m]. Or the path of a file that holds them.
            triangles: Triangles: the places of their corners among ``points``, counted from 0.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
            decompose: Cuts a concave mesh into convex hulls that collide in its place.
        """
        return cls(
            type="mesh",
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
            triangles=triangles,
            scale=scale,
            decompose={} if decompose is True else decompose or None,
            **either("points", "file", points),
        )

    @classmethod
    def height_field(
        cls,
        size: Vector,
        heights: Matrix | str | os.PathLike[str],
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
        scale: float | None = None,
    ) -> Self:
        """Ground below ``heights`` over a rectangle of edges ``size``, or from a ``file`` of numbers.

        Args:
            size: Edge lengths of the rectangle along x and y [m].
            heights: Rows of heights [m]: each along x, the rows along y. Or the path of a file that holds
                them.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
            collide: Whether it collides; one that does not is only seen.
            visible: Whether it is seen.
            color: Colour, such as ``#d55e00``.
            density: Density [kg/m³], if not that of the body. A shape that does not collide has mass only
                if this is given.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
        """
        return cls(
            type="height_field",
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
            scale=scale,
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
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            material: Name of its material. Default: ``default``.
            group: Group it belongs to. Default: group 0.
            mask: Groups it touches. Default: all.
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


class Decompose(Spec):
    """Decomposition of a concave mesh into convex hulls, which are cached in a file next to the mesh."""

    __slots__ = ()

    def __init__(
        self,
        *,
        resolution: int | None = None,
        concavity: float | None = None,
        max_hulls: int | None = None,
        max_vertices: int | None = None,
    ) -> None:
        """Build the description.

        Args:
            resolution: Voxels along the longest side of the mesh, 8 to 256; time grows with its cube.
                Default: ``64``.
            concavity: Volume between a part and its hull above which it is cut on, relative to the hull
                of the mesh; 0 to 1. Default: ``0.01``.
            max_hulls: Most hulls, 1 to 256. Default: ``32``.
            max_vertices: Most vertices of a hull, 8 to 1024. Default: ``64``.
        """
        super().__init__(resolution=resolution, concavity=concavity, max_hulls=max_hulls, max_vertices=max_vertices)
