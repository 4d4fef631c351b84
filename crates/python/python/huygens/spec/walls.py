"""Walls of granular matter and of fluids.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec, either

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import IntegerRows, Matrix, Ref, Vector
    from .values import Motion

__all__ = [
    "FluidWall",
    "Wall",
]


class Wall(Spec):
    """A wall that grains touch: at rest, moved by functions of time, carried by a body, or a flexible structure."""

    __slots__ = ()

    @classmethod
    def plane(
        cls,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """The plane z = 0; grains are where z > 0.

        Args:
            name: Name, unique among the walls of its grains.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="plane",
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        name: str | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Cylinder: ``radius``, ``length``, ``side``, ``ends``. An open one around the grains is a thin shell.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            name: Name, unique among the walls of its grains.
            side: Where the grains of a cylinder, cone, sphere or box are; inside if absent.
            ends: Which ends of a cylinder or cone are closed; none if absent.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="cylinder",
            name=name,
            radius=radius,
            length=length,
            side=side,
            ends=ends,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def cone(
        cls,
        radii: Vector,
        length: float,
        *,
        name: str | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Cone: ``radii`` at its lower and upper end, ``length``, ``side``, ``ends``. One around the grains is a
        thin shell.

        Args:
            radii: Radii of a cone at its lower and upper end [m].
            length: Length along z [m].
            name: Name, unique among the walls of its grains.
            side: Where the grains of a cylinder, cone, sphere or box are; inside if absent.
            ends: Which ends of a cylinder or cone are closed; none if absent.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="cone",
            name=name,
            radii=radii,
            length=length,
            side=side,
            ends=ends,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        name: str | None = None,
        side: Literal["inside", "outside"] | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Sphere: ``radius``, ``side``.

        Args:
            radius: Radius [m].
            name: Name, unique among the walls of its grains.
            side: Where the grains of a cylinder, cone, sphere or box are; inside if absent.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="sphere",
            name=name,
            radius=radius,
            side=side,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def disc(
        cls,
        radius: float,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Disc in the plane z = 0, touched from both sides: ``radius``.

        Args:
            radius: Radius [m].
            name: Name, unique among the walls of its grains.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="disc",
            name=name,
            radius=radius,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def rectangle(
        cls,
        size: Vector,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Rectangle in the plane z = 0, touched from both sides: ``size`` along x and y.

        Args:
            size: Edge lengths [m]: two of a rectangle, three of a box.
            name: Name, unique among the walls of its grains.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="rectangle",
            name=name,
            size=size,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def box(
        cls,
        size: Vector,
        *,
        name: str | None = None,
        side: Literal["inside", "outside"] | None = None,
        open: Sequence[Literal["-x", "+x", "-y", "+y", "-z", "+z"]] | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Box: ``size``, ``side``; faces in ``open`` are missing.

        Args:
            size: Edge lengths [m]: two of a rectangle, three of a box.
            name: Name, unique among the walls of its grains.
            side: Where the grains of a cylinder, cone, sphere or box are; inside if absent.
            open: Faces of a box that are missing, such as ``["+z"]``.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="box",
            name=name,
            size=size,
            side=side,
            open=open,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: IntegerRows | None = None,
        *,
        name: str | None = None,
        scale: float | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Triangles, touched from both sides: of ``points`` and ``triangles``, or from a ``file`` (OBJ, STL).

        Args:
            points: Points of a mesh [m]. Or the path of a file of them.
            triangles: Triangles of a mesh: the places of their corners among ``points``, counted from 0.
            name: Name, unique among the walls of its grains.
            scale: Metres of one unit of the ``file`` or ``points``.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            body: Body that carries it and feels what the grains do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="mesh",
            name=name,
            triangles=triangles,
            scale=scale,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
            **either("points", "file", points),
        )

    @classmethod
    def of_body(
        cls,
        body: Ref,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        material: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """The shapes that its ``body`` collides with: balls, boxes, cylinders, capsules, hulls, meshes,
        half-spaces.

        Args:
            body: Body that carries it and feels what the grains do to it.
            name: Name, unique among the walls of its grains.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            material: Material; that of the set if absent.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes and spheres around the grains, and
                shapes that are seen as those of their body.
        """
        return cls(
            type="body",
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            material=material,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def of_structure(cls, structure: Ref, *, name: str | None = None, material: Ref | None = None) -> Self:
        """The contact surface of the lines of its ``structure``: capsules or balls.

        Args:
            structure: Flexible structure of a wall of type ``structure``: its lines are the wall, and
                feel what the grains do.
            name: Name, unique among the walls of its grains.
            material: Material; that of the set if absent.
        """
        return cls(type="structure", name=name, material=material, structure=structure)


class FluidWall(Spec):
    """A wall of a fluid: at rest, moved by functions of time, or carried by a body."""

    __slots__ = ()

    @classmethod
    def tank(
        cls,
        low: Vector,
        high: Vector,
        *,
        name: str | None = None,
        open: Sequence[Literal["-x", "+x", "-y", "+y", "-z", "+z"]] = ("+z",),
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Box around the fluid between two corners, without the faces that are ``open``.

        Args:
            low: Lowest corner of a box [m], in its own axes.
            high: Highest corner of a box [m], in its own axes.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            open: Faces of a box that are missing, such as ``["+z"]``. Default: ``("+z",)``.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="box",
            name=name,
            low=low,
            high=high,
            open=open,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def plane(
        cls,
        size: Vector,
        *,
        name: str | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Rectangle in the plane z = 0, of edges ``size`` along x and y; fluid is where z > 0.

        Args:
            size: Edge lengths of a plane or height field [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="plane",
            name=name,
            size=size,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        name: str | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Cylinder about z, centred: ``radius``, ``length``, ``side``, ``ends``.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            side: Where the fluid is; inside a box or cylinder, outside a mesh if absent.
            ends: Which ends of a cylinder are closed; none if absent.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="cylinder",
            name=name,
            radius=radius,
            length=length,
            side=side,
            ends=ends,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        name: str | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Ball in the fluid: ``radius``.

        Args:
            radius: Radius [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="sphere",
            name=name,
            radius=radius,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
        )

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: IntegerRows | None = None,
        *,
        name: str | None = None,
        side: Literal["inside", "outside"] | None = None,
        scale: float | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Triangles: of ``points`` and ``triangles``, or from a ``file`` (OBJ, STL); ``side``, outside if
        absent.

        Args:
            points: Points of a mesh, or markers [m]. Or the path of a file of them.
            triangles: Triangles of a mesh: the places of their corners among ``points``, counted from 0.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            side: Where the fluid is; inside a box or cylinder, outside a mesh if absent.
            scale: Metres of one unit of the ``file``, ``points`` or ``heights``.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="mesh",
            name=name,
            side=side,
            triangles=triangles,
            scale=scale,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            **either("points", "file", points),
        )

    @classmethod
    def height_field(
        cls,
        size: Vector,
        heights: Matrix | str | os.PathLike[str],
        *,
        name: str | None = None,
        scale: float | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Ground below ``heights`` over a rectangle of edges ``size``, or from a ``file`` of numbers.

        Args:
            size: Edge lengths of a plane or height field [m].
            heights: Rows of heights [m]: each along x, the rows along y. Or the path of a file of them.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            scale: Metres of one unit of the ``file``, ``points`` or ``heights``.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="height_field",
            name=name,
            size=size,
            scale=scale,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            **either("heights", "file", heights),
        )

    @classmethod
    def points(
        cls,
        points: Matrix,
        *,
        name: str | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Markers one by one: ``points``.

        Args:
            points: Points of a mesh, or markers [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers; as many as the kernel reaches over if absent.
            slip: Whether fluid slides along it without friction.
            position: Position of its origin [m] in the world, or in the frame of its body.
            rotation: Orientation in the world, or in the frame of its body.
            axis: Direction of its z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what the fluid does to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but boxes around the fluid and markers one by
                one.
        """
        return cls(
            type="points",
            name=name,
            points=points,
            layers=layers,
            slip=slip,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
        )
