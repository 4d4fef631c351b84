"""Rigid bodies, one by one and in lattices.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec, gathered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from typing_extensions import Self

    from .._shortcuts import Rotate
    from .._values import FunctionLike, Integers, Matrix, Ref, Vector
    from .shapes import Shape
    from .values import Frame, InertiaEntries, Motion, Solid

__all__ = [
    "Body",
    "Fill",
]


class Body(Spec):
    """A rigid body."""

    __slots__ = ()
    _section = "bodies"

    @classmethod
    def dynamic(
        cls,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        angular_velocity_body: Vector | None = None,
        mass: float | None = None,
        density: float | None = None,
        inertia: Vector | Matrix | InertiaEntries | Mapping[str, Any] | None = None,
        center_of_mass: Vector | None = None,
        shape: Shape | Solid | Mapping[str, Any] | None = None,
        shapes: Sequence[Shape | Mapping[str, Any]] | None = None,
        markers: Mapping[str, Frame | Mapping[str, Any]] | None = None,
        material: Ref | None = None,
    ) -> Self:
        """Build a body that forces move.

        It needs ``mass`` with ``inertia`` or shapes, or ``density`` with shapes.

        Args:
            name: Unique name.
            position: Position of the body frame's origin [m]. Default: ``(0, 0, 0)``.
            rotation: Orientation: ``world_from_body``.
            velocity: Velocity of the body frame's origin [m/s], world axes. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity [rad/s], world axes.
            angular_velocity_body: Angular velocity [rad/s], body axes; instead of ``angular_velocity``.
            mass: Mass [kg].
            density: Density of ``shape`` or ``shapes`` [kg/m³]; instead of ``mass``.
            inertia: Inertia tensor about the centre of mass [kg·m²], body axes. Default: the one of
                ``shape`` or ``shapes``.
            center_of_mass: Centre of mass in the body frame [m]; that of ``shapes`` where the inertia
                comes from them, else the origin, if absent. A ``shape`` is centred there.
            shape: Simple solid for mass properties and pictures; it does not collide.
            shapes: Shapes the body collides with and is seen by; instead of ``shape``.
            markers: Named frames, referred to as ``body/marker``.
            material: Material of shapes that have none of their own.
        """
        return cls(
            kind="dynamic",
            name=name,
            position=position,
            rotation=rotation,
            velocity=velocity,
            angular_velocity=angular_velocity,
            angular_velocity_body=angular_velocity_body,
            mass=mass,
            density=density,
            inertia=inertia,
            center_of_mass=center_of_mass,
            shape=shape,
            shapes=shapes,
            markers=markers,
            material=material,
        )

    @classmethod
    def fixed(
        cls,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        angular_velocity_body: Vector | None = None,
        mass: float | None = None,
        density: float | None = None,
        inertia: Vector | Matrix | InertiaEntries | Mapping[str, Any] | None = None,
        center_of_mass: Vector | None = None,
        shape: Shape | Solid | Mapping[str, Any] | None = None,
        shapes: Sequence[Shape | Mapping[str, Any]] | None = None,
        markers: Mapping[str, Frame | Mapping[str, Any]] | None = None,
        material: Ref | None = None,
    ) -> Self:
        """Build a body that never moves.

        Args:
            name: Unique name.
            position: Position of the body frame's origin [m]. Default: ``(0, 0, 0)``.
            rotation: Orientation: ``world_from_body``.
            velocity: Velocity of the body frame's origin [m/s], world axes. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity [rad/s], world axes.
            angular_velocity_body: Angular velocity [rad/s], body axes; instead of ``angular_velocity``.
            mass: Mass [kg].
            density: Density of ``shape`` or ``shapes`` [kg/m³]; instead of ``mass``.
            inertia: Inertia tensor about the centre of mass [kg·m²], body axes. Default: the one of
                ``shape`` or ``shapes``.
            center_of_mass: Centre of mass in the body frame [m]; that of ``shapes`` where the inertia
                comes from them, else the origin, if absent. A ``shape`` is centred there.
            shape: Simple solid for mass properties and pictures; it does not collide.
            shapes: Shapes the body collides with and is seen by; instead of ``shape``.
            markers: Named frames, referred to as ``body/marker``.
            material: Material of shapes that have none of their own.
        """
        return cls(
            kind="fixed",
            name=name,
            position=position,
            rotation=rotation,
            velocity=velocity,
            angular_velocity=angular_velocity,
            angular_velocity_body=angular_velocity_body,
            mass=mass,
            density=density,
            inertia=inertia,
            center_of_mass=center_of_mass,
            shape=shape,
            shapes=shapes,
            markers=markers,
            material=material,
        )

    @classmethod
    def kinematic(
        cls,
        *,
        name: str | None = None,
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        angular_velocity_body: Vector | None = None,
        mass: float | None = None,
        density: float | None = None,
        inertia: Vector | Matrix | InertiaEntries | Mapping[str, Any] | None = None,
        center_of_mass: Vector | None = None,
        shape: Shape | Solid | Mapping[str, Any] | None = None,
        shapes: Sequence[Shape | Mapping[str, Any]] | None = None,
        markers: Mapping[str, Frame | Mapping[str, Any]] | None = None,
        translation: Sequence[FunctionLike] | None = None,
        axis: Vector | None = None,
        angle: FunctionLike | None = None,
        motion: Motion | Mapping[str, Any] | None = None,
        material: Ref | None = None,
    ) -> Self:
        """Build a body that moves as prescribed.

        Args:
            name: Unique name.
            position: Position of the body frame's origin [m]. Default: ``(0, 0, 0)``.
            rotation: Orientation: ``world_from_body``.
            velocity: Velocity of the body frame's origin [m/s], world axes. Default: ``(0, 0, 0)``.
            angular_velocity: Angular velocity [rad/s], world axes.
            angular_velocity_body: Angular velocity [rad/s], body axes; instead of ``angular_velocity``.
            mass: Mass [kg].
            density: Density of ``shape`` or ``shapes`` [kg/m³]; instead of ``mass``.
            inertia: Inertia tensor about the centre of mass [kg·m²], body axes. Default: the one of
                ``shape`` or ``shapes``.
            center_of_mass: Centre of mass in the body frame [m]; that of ``shapes`` where the inertia
                comes from them, else the origin, if absent. A ``shape`` is centred there.
            shape: Simple solid for mass properties and pictures; it does not collide.
            shapes: Shapes the body collides with and is seen by; instead of ``shape``.
            markers: Named frames, referred to as ``body/marker``.
            translation: Displacement along the world axes [m], functions of time.
            axis: Axis of rotation through the body's origin, world axes at the start, a unit vector.
                Default: ``(0, 0, 1)``.
            angle: Angle about ``axis`` [rad], a function of time.
            motion: Motion of a kinematic body.
            material: Material of shapes that have none of their own.
        """
        return cls(
            kind="kinematic",
            name=name,
            position=position,
            rotation=rotation,
            velocity=velocity,
            angular_velocity=angular_velocity,
            angular_velocity_body=angular_velocity_body,
            mass=mass,
            density=density,
            inertia=inertia,
            center_of_mass=center_of_mass,
            shape=shape,
            shapes=shapes,
            markers=markers,
            motion=gathered(motion, {"translation": translation, "axis": axis, "angle": angle}),
            material=material,
        )


class Fill(Spec):
    """Many equal bodies on a lattice, named ``name.1``, ``name.2`` and so on: along x first, then y, then z."""

    __slots__ = ()
    _section = "fills"

    def __init__(
        self,
        shape: Shape | Mapping[str, Any],
        density: float,
        *,
        name: str | None = None,
        count: Integers | None = None,
        position: Vector | None = None,
        region: Matrix | None = None,
        frame: Frame | Mapping[str, Any] | None = None,
        spacing: Vector | None = None,
        jitter: float | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
        random_rotation: bool | None = None,
        velocity: Vector | None = None,
        seed: int | None = None,
    ) -> None:
        """Build the description.

        Args:
            shape: Shape of every body, with its material.
            density: Density [kg/m³].
            name: Name that the bodies' names begin with.
            count: Bodies along x, y and z.
            position: Position of the first body [m]; the others follow along +x, +y and +z.
            region: Lowest and highest corner of a region to fill [m], instead of ``count`` and
                ``position``; shapes stay inside.
            frame: Frame that positions, lattice and orientations are given in. Default: the world's.
            spacing: Spacing along x, y and z [m]. Default: the extent of the shape.
            jitter: Largest random displacement along each axis [m]. Default: ``0``.
            rotation: Orientation of every body.
            random_rotation: Whether every body is turned at random instead. Default: ``False``.
            velocity: Velocity of every body [m/s], world axes. Default: ``(0, 0, 0)``.
            seed: Seed of the random numbers. Default: ``0``.
        """
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
