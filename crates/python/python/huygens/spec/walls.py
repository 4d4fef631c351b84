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
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
    ) -> Self:
        """The plane z = 0; grains are where z > 0.

        Args:
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
        """
        return cls(
            type="plane",
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
        )

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
    ) -> Self:
        """Cylinder. An open one around the grains is a thin shell.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
            side: Where the grains are.
            ends: Which ends are closed.
        """
        return cls(
            type="cylinder",
            radius=radius,
            length=length,
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
            side=side,
            ends=ends,
        )

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
        side: Literal["inside", "outside"] | None = None,
    ) -> Self:
        """Sphere.

        Args:
            radius: Radius [m].
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
            side: Where the grains are.
        """
        return cls(
            type="sphere",
            radius=radius,
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
            side=side,
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
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
    ) -> Self:
        """Disc in the plane z = 0, touched from both sides.

        Args:
            radius: Radius [m].
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
        """
        return cls(
            type="disc",
            radius=radius,
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
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
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
    ) -> Self:
        """Rectangle in the plane z = 0, touched from both sides.

        Args:
            size: Edge lengths along x and y [m].
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
        """
        return cls(
            type="rectangle",
            size=size,
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
        )

    @classmethod
    def box(
        cls,
        size: Vector,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
        side: Literal["inside", "outside"] | None = None,
        open: Sequence[Literal["-x", "+x", "-y", "+y", "-z", "+z"]] | None = None,
    ) -> Self:
        """Box.

        Args:
            size: Edge lengths [m].
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
            side: Where the grains are.
            open: Faces that are missing, such as ``["+z"]``.
        """
        return cls(
            type="box",
            size=size,
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
            side=side,
            open=open,
        )

    @classmethod
    def mesh(
        cls,
        points: Matrix | str | os.PathLike[str],
        triangles: IntegerRows | None = None,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
        scale: float | None = None,
    ) -> Self:
        """Triangles, touched from both sides: of ``points`` and ``triangles``, or from a ``file`` (OBJ, STL).

        Args:
            points: Points [m]. Or the path of a file that holds them.
            triangles: Triangles: the places of their corners among ``points``, counted from 0.
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
        """
        return cls(
            type="mesh",
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
            triangles=triangles,
            scale=scale,
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
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
    ) -> Self:
        """The shapes that its ``body`` collides with: spheres, boxes, cylinders, capsules, hulls, meshes,
        half-spaces.

        Args:
            body: Body that carries it and feels what grains or fluid do to it.
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
        """
        return cls(
            type="body",
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
        )

    @classmethod
    def of_structure(cls, structure: Ref, *, name: str | None = None, material: Ref | None = None) -> Self:
        """The contact surface of the lines of a flexible structure: capsules or spheres.

        Args:
            structure: The structure; its lines are the wall, and feel what the grains do.
            name: Name, unique among the walls of its grains.
            material: Material. Default: that of the set.
        """
        return cls(type="structure", structure=structure, name=name, material=material)

    @classmethod
    def cone(
        cls,
        radii: Vector,
        length: float,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        material: Ref | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
    ) -> Self:
        """Cone. An open one around the particles is a thin shell.

        Args:
            radii: Radii at its lower and upper end [m].
            length: Length along z [m].
            name: Name, unique among the walls of its grains.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            material: Material. Default: that of the set.
            side: Where the particles are.
            ends: Which ends are closed.
        """
        return cls(
            type="cone",
            radii=radii,
            length=length,
            name=name,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            material=material,
            side=side,
            ends=ends,
        )


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
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        open: Sequence[Literal["-x", "+x", "-y", "+y", "-z", "+z"]] = ("+z",),
    ) -> Self:
        """Box around the fluid between two corners, without the faces that are ``open``.

        Args:
            low: Lowest corner [m], in its own axes.
            high: Highest corner [m], in its own axes.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            open: Faces that are missing, such as ``["+z"]``. Default: ``("+z",)``.
        """
        return cls(
            type="box",
            low=low,
            high=high,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            open=open,
        )

    @classmethod
    def block(
        cls,
        low: Vector,
        high: Vector,
        *,
        name: str | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Block in the fluid between two corners.

        Args:
            low: Lowest corner [m], in its own axes.
            high: Highest corner [m], in its own axes.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
        """
        return cls(
            type="box",
            side="outside",
            low=low,
            high=high,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
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
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Rectangle in the plane z = 0; fluid is where z > 0.

        Args:
            size: Edge lengths along x and y [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
        """
        return cls(
            type="plane",
            size=size,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
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
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
    ) -> Self:
        """Cylinder about z, centred.

        Args:
            radius: Radius [m].
            length: Length along z [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            side: Where the fluid is.
            ends: Which ends are closed.
        """
        return cls(
            type="cylinder",
            radius=radius,
            length=length,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            side=side,
            ends=ends,
        )

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        name: str | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Ball in the fluid.

        Args:
            radius: Radius [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
        """
        return cls(
            type="sphere",
            radius=radius,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
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
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        scale: float | None = None,
        side: Literal["inside", "outside"] | None = None,
    ) -> Self:
        """Triangles: of ``points`` and ``triangles``, or from a ``file`` (OBJ, STL).

        Args:
            points: Points [m]. Or the path of a file that holds them.
            triangles: Triangles: the places of their corners among ``points``, counted from 0.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
            side: Where the fluid is.
        """
        return cls(
            type="mesh",
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            triangles=triangles,
            scale=scale,
            side=side,
            **either("points", "file", points),
        )

    @classmethod
    def height_field(
        cls,
        size: Vector,
        heights: Matrix | str | os.PathLike[str],
        *,
        name: str | None = None,
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        scale: float | None = None,
    ) -> Self:
        """Ground below ``heights`` over a rectangle of edges ``size``, or from a ``file`` of numbers.

        Args:
            size: Edge lengths of the rectangle along x and y [m].
            heights: Rows of heights [m]: each along x, the rows along y. Or the path of a file that holds
                them.
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            scale: Metres of one unit of the ``file``, or of the numbers that stand in its place. Default:
                1.
        """
        return cls(
            type="height_field",
            size=size,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            scale=scale,
            **either("heights", "file", heights),
        )

    @classmethod
    def points(
        cls,
        points: Matrix,
        *,
        name: str | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
    ) -> Self:
        """Markers one by one.

        Args:
            points: The markers [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
        """
        return cls(
            type="points",
            points=points,
            name=name,
            slip=slip,
            surface_velocity=surface_velocity,
            position=position,
            rotation=rotation,
            axis=axis,
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
        layers: int | None = None,
        slip: bool | None = None,
        surface_velocity: Vector | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        axis: Vector | None = None,
        body: Ref | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        visible: bool | None = None,
        side: Literal["inside", "outside"] | None = None,
        ends: Literal["open", "lower", "upper", "closed"] | None = None,
    ) -> Self:
        """Cone. An open one around the particles is a thin shell.

        Args:
            radii: Radii at its lower and upper end [m].
            length: Length along z [m].
            name: Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
            layers: Layers of markers. Default: enough to fill the support radius of the kernel.
            slip: Whether fluid slides along it without friction.
            surface_velocity: Velocity of its surface [m/s] in its own axes, while the wall stays where it
                is: that of a belt, or of a lid that moves in its own plane. Weakly compressible.
            position: Position of the origin [m].
            rotation: Orientation.
            axis: Direction of the z axis, a unit vector; instead of ``rotation``.
            body: Body that carries it and feels what grains or fluid do to it.
            motion: Prescribed motion from its pose; instead of ``body``.
            visible: Whether it is seen; if absent, all are but those around grains or fluid, markers one
                by one, and shapes that are seen as those of their body.
            side: Where the particles are.
            ends: Which ends are closed.
        """
        return cls(
            type="cone",
            radii=radii,
            length=length,
            name=name,
            layers=layers,
            slip=slip,
            surface_velocity=surface_velocity,
            position=position,
            rotation=rotation,
            axis=axis,
            body=body,
            motion=motion,
            visible=visible,
            side=side,
            ends=ends,
        )
