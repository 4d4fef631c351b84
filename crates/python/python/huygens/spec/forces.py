"""Force elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._plain import Spec
from .mechanism import PlaceArguments
from .values import DriveLike, Law, Matrix, Ref, Vector

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


__all__ = ["Force"]


class Force(Spec):
    """A force element.

    Springs take ``law=f(time, coordinate, rate)``, the force [N or N·m] along the growing coordinate, instead of
    their constants.
    """

    __slots__ = ("law",)

    def __init__(self, law: Law | None = None, **spec: Any) -> None:
        super().__init__(**spec)
        self.law = law

    @classmethod
    def spring(
        cls,
        a: Ref,
        b: Ref,
        *,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        length: float | None = None,
        actuator: DriveLike | None = None,
        law: Law | None = None,
        name: str | None = None,
    ) -> Self:
        """Spring [N/m], damper [N·s/m] and actuator [N] along the line of two points."""
        return cls(
            type="spring",
            a=a,
            b=b,
            point_a=point_a,
            point_b=point_b,
            stiffness=stiffness,
            damping=damping,
            length=length,
            actuator=actuator,
            law=law,
            name=name,
        )

    @classmethod
    def rotational_spring(
        cls,
        joint: Ref,
        *,
        coordinate: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        angle: float | None = None,
        actuator: DriveLike | None = None,
        law: Law | None = None,
        name: str | None = None,
    ) -> Self:
        """Spring [N·m/rad], damper [N·m·s/rad] and actuator [N·m] along a joint coordinate."""
        return cls(
            type="rotational_spring",
            joint=joint,
            coordinate=coordinate,
            stiffness=stiffness,
            damping=damping,
            angle=angle,
            actuator=actuator,
            law=law,
            name=name,
        )

    @classmethod
    def bushing(
        cls,
        a: Ref,
        b: Ref,
        *,
        stiffness: Vector | Matrix | None = None,
        damping: Vector | Matrix | None = None,
        preload: Vector | None = None,
        **place: Unpack[PlaceArguments],
    ) -> Self:
        """Elastic connection of two frames; matrices by their diagonal or as 6 x 6, displacements first."""
        return cls(type="bushing", a=a, b=b, stiffness=stiffness, damping=damping, preload=preload, **place)

    @classmethod
    def load(
        cls,
        body: Ref,
        *,
        force: Sequence[DriveLike] | None = None,
        torque: Sequence[DriveLike] | None = None,
        point: Vector | None = None,
        frame: Literal["world", "body"] | None = None,
        name: str | None = None,
    ) -> Self:
        """Force [N] and torque [N·m] on a body, in world or body axes."""
        return cls(type="load", body=body, force=force, torque=torque, point=point, frame=frame, name=name)

    @classmethod
    def drag(
        cls,
        body: Ref,
        *,
        linear: float | None = None,
        quadratic: float | None = None,
        angular_linear: float | None = None,
        angular_quadratic: float | None = None,
        point: Vector | None = None,
        medium_velocity: Vector | None = None,
        name: str | None = None,
    ) -> Self:
        """Drag of a medium, linear [N·s/m] and quadratic [N·s²/m²] in the velocity."""
        return cls(
            type="drag",
            body=body,
            linear=linear,
            quadratic=quadratic,
            angular_linear=angular_linear,
            angular_quadratic=angular_quadratic,
            point=point,
            medium_velocity=medium_velocity,
            name=name,
        )

    @classmethod
    def rope(
        cls,
        a: Ref,
        b: Ref,
        *,
        length: float,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        restitution: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Keep two points within ``length`` [m]; rigid (Euler integrators) unless it has a stiffness [N/m]."""
        return cls(
            type="rope",
            a=a,
            b=b,
            length=length,
            point_a=point_a,
            point_b=point_b,
            stiffness=stiffness,
            damping=damping,
            restitution=restitution,
            name=name,
        )

    @classmethod
    def torsion_spring(
        cls,
        shaft_a: Ref,
        shaft_b: Ref | None = None,
        *,
        stiffness: float | None = None,
        damping: float | None = None,
        angle: float | None = None,
        law: Law | None = None,
        name: str | None = None,
    ) -> Self:
        """Spring [N·m/rad] and damper [N·m·s/rad] between two shafts, or a shaft and ground."""
        return cls(
            type="torsion_spring",
            shaft_a=shaft_a,
            shaft_b=shaft_b,
            stiffness=stiffness,
            damping=damping,
            angle=angle,
            law=law,
            name=name,
        )

    @classmethod
    def clutch(
        cls,
        shaft_a: Ref,
        shaft_b: Ref,
        *,
        torque: DriveLike,
        stiffness: float | None = None,
        damping: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Friction between two shafts up to ``torque`` [N·m]."""
        return cls(
            type="clutch",
            shaft_a=shaft_a,
            shaft_b=shaft_b,
            torque=torque,
            stiffness=stiffness,
            damping=damping,
            name=name,
        )

    @classmethod
    def brake(
        cls,
        joint: Ref | None = None,
        *,
        shaft: Ref | None = None,
        torque: DriveLike,
        coordinate: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Friction of a joint or shaft against ground up to ``torque`` [N·m or N]."""
        return cls(
            type="brake",
            joint=joint,
            shaft=shaft,
            torque=torque,
            coordinate=coordinate,
            stiffness=stiffness,
            damping=damping,
            name=name,
        )
