"""Objects of a world: their current state, read and changed by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._arguments import vector
from ._plain import Named

if TYPE_CHECKING:
    from ._huygens import Core
    from ._values import Vector

Array: TypeAlias = NDArray[np.float64]

__all__ = [
    "BodyHandle",
    "CouplingHandle",
    "ForceHandle",
    "Handle",
    "JointHandle",
    "MarkerHandle",
    "MaterialHandle",
    "MotorHandle",
    "Reaction",
    "ShaftHandle",
    "SignalHandle",
]


class Reaction(NamedTuple):
    """Reaction of a joint."""

    force: Array
    """Force [N]."""
    torque: Array
    """Torque about the joint point [N·m]."""


class Handle(Named):
    """An object of a world."""

    __slots__ = ("_core", "_name")

    def __init__(self, core: Core, name: str) -> None:
        self._core = core
        self._name = name

    @property
    def name(self) -> str:
        """Its unique name."""
        return self._name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self._name}'>"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Handle) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _world_core(self) -> Core:
        return self._core

    def _key(self) -> tuple[int, str]:
        return id(self._core), self._name

    def measure(
        self,
        quantity: str,
        *,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
    ) -> Array:
        """Return the values of a quantity, as a probe would record them: one, or one per component."""
        at = None if point is None else vector(point, "point")
        sensor = {"of": self._name, "quantity": quantity, "point": at, "side": side, "axes": axes}
        return np.array(self._core.measure(sensor))

    def _number(self, quantity: str) -> float:
        return self._core.measure({"of": self._name, "quantity": quantity})[0]


class MarkerHandle(Handle):
    """A named frame of a body."""

    __slots__ = ()

    @property
    def position(self) -> Array:
        """Position of its origin [m]."""
        return self.measure("position")

    @property
    def velocity(self) -> Array:
        """Velocity of its origin [m/s]."""
        return self.measure("velocity")

    @property
    def acceleration(self) -> Array:
        """Acceleration of its origin [m/s²]."""
        return self.measure("acceleration")


class BodyHandle(Handle):
    """A body. Its motion may be set before and between steps; other bodies follow through their joints."""

    __slots__ = ()

    def marker(self, name: str) -> MarkerHandle:
        """Return a named frame of the body, for attaching joints and springs."""
        return MarkerHandle(self._core, f"{self._name}/{name}")

    @property
    def position(self) -> Array:
        """Position of the body frame's origin [m]."""
        return np.array(self._core.body_position(self._name))

    @position.setter
    def position(self, position: Vector) -> None:
        self._core.set_body_position(self._name, vector(position, "position"))

    @property
    def rotation(self) -> Array:
        """Orientation as a unit quaternion ``(w, x, y, z)``."""
        return np.array(self._core.body_rotation(self._name))

    @rotation.setter
    def rotation(self, rotation: Vector) -> None:
        self._core.set_body_rotation(self._name, vector(rotation, "rotation", 4))

    @property
    def velocity(self) -> Array:
        """Velocity of the body frame's origin [m/s], world axes."""
        return np.array(self._core.body_velocity(self._name))

    @velocity.setter
    def velocity(self, velocity: Vector) -> None:
        self._core.set_body_velocity(self._name, vector(velocity, "velocity"))

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity [rad/s], world axes."""
        return np.array(self._core.body_angular_velocity(self._name))

    @angular_velocity.setter
    def angular_velocity(self, angular_velocity: Vector) -> None:
        self._core.set_body_angular_velocity(self._name, vector(angular_velocity, "angular_velocity"))

    @property
    def acceleration(self) -> Array:
        """Acceleration of the body frame's origin [m/s²], world axes."""
        return self.measure("acceleration")


    @property
    def contact_force(self) -> Array:
        """Force from all its contacts in the last step [N], world axes."""
        return np.array(self._core.body_contact_force(self._name)[0])

    @property
    def contact_torque(self) -> Array:
        """Torque about the centre of mass from all its contacts in the last step [N·m], world axes."""
        return np.array(self._core.body_contact_force(self._name)[1])


class MaterialHandle(Handle):
    """A contact material, for use in shapes."""

    __slots__ = ()


class JointHandle(Handle):
    """A joint."""

    __slots__ = ()

    @property
    def coordinate_names(self) -> list[str]:
        """Names of its coordinates."""
        return self._core.joint_coordinates(self._name)

    def _coordinate(self, coordinate: int | str) -> str:
        if isinstance(coordinate, str):
            return coordinate
        names = self.coordinate_names
        if not 0 <= coordinate < len(names):
            message = f"joint '{self._name}' has {len(names)} coordinates; there is no coordinate {coordinate}"
            raise IndexError(message)
        return names[coordinate]

    def coordinate(self, coordinate: int | str = 0) -> float:
        """Return a coordinate by number or name [m or rad]."""
        return self._number(self._coordinate(coordinate))

    def rate(self, coordinate: int | str = 0) -> float:
        """Return the rate of a coordinate [m/s or rad/s]."""
        return self._number(f"{self._coordinate(coordinate)}_rate")

    @property
    def angle(self) -> float:
        """Angle about the joint's axis [rad], including full revolutions."""
        return self._number("angle")

    @property
    def displacement(self) -> float:
        """Displacement along the joint's axis [m]."""
        return self._number("displacement")

    def reaction(self, *, side: Literal["a", "b"] = "b", axes: Literal["joint", "world"] = "joint") -> Reaction:
        """Return the force and torque that the joint exerts on a body, in the joint frame on A or world axes."""
        force = self.measure("reaction_force", side=side, axes=axes)
        return Reaction(force, self.measure("reaction_torque", side=side, axes=axes))


class MotorHandle(Handle):
    """A motor."""

    __slots__ = ()

    @property
    def effort(self) -> float:
        """Torque [N·m] or force [N] along its coordinate."""
        return self._number("effort")


class CouplingHandle(Handle):
    """A coupling."""

    __slots__ = ()

    @property
    def effort(self) -> float:
        """Effort along its weighted coordinates."""
        return self._number("effort")


class ForceHandle(Handle):
    """A force element; its type determines which quantities it has."""

    __slots__ = ()

    @property
    def length(self) -> float:
        """Length of a spring [m]."""
        return self._number("length")

    @property
    def rate(self) -> float:
        """Rate of the length or coordinate [m/s or rad/s]."""
        return self._number("rate")

    @property
    def angle(self) -> float:
        """Coordinate of a coordinate spring, clutch or brake [rad or m]."""
        return self._number("angle")

    @property
    def force(self) -> float | Array:
        """Force along a spring [N], or force of a bushing on B [N], world axes."""
        return _one_or_all(self.measure("force"))

    @property
    def torque(self) -> float | Array:
        """Torque along a coordinate [N·m], or torque of a bushing on B [N·m], world axes."""
        return _one_or_all(self.measure("torque"))


class ShaftHandle(Handle):
    """A shaft."""

    __slots__ = ()

    @property
    def angle(self) -> float:
        """Angle [rad]."""
        return self._number("angle")

    @angle.setter
    def angle(self, angle: float) -> None:
        self._core.set_shaft(self._name, angle, self.speed)

    @property
    def speed(self) -> float:
        """Speed [rad/s]."""
        return self._number("speed")

    @speed.setter
    def speed(self, speed: float) -> None:
        self._core.set_shaft(self._name, self.angle, speed)


class SignalHandle(Handle):
    """A signal; motors and forces follow it as ``handle.drive``."""

    __slots__ = ()

    @property
    def value(self) -> float:
        """Its current value."""
        return self._core.signal(self._name)

    @value.setter
    def value(self, value: float) -> None:
        """Set an input signal, from the next step on."""
        self._core.set_input(self._name, float(value))

    @property
    def drive(self) -> dict[str, SignalHandle]:
        """The drive for a motor or a force that follows this signal."""
        return {"signal": self}


def _one_or_all(numbers: Array) -> float | Array:
    return float(numbers[0]) if len(numbers) == 1 else numbers
