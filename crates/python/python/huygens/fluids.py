"""Fluids of a world: their fields as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _huygens
from ._arguments import name_in, vector
from .handles import Handle

if TYPE_CHECKING:
    from ._values import Ref, Vector

Array: TypeAlias = NDArray[np.float64]

__all__ = ["FluidHandle"]


class FluidHandle(Handle):
    """A fluid.

    All arrays are copies, with one row per particle in the order of `numbers`: particles keep their numbers while
    the engine sorts them for speed.
    """

    __slots__ = ()

    def __len__(self) -> int:
        return _huygens.fluid_count(self._core, self._name)

    def _field(self, field: str) -> Array:
        return _huygens.fluid_field(self._core, self._name, field)

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """Numbers, ascending."""
        return _huygens.fluid_numbers(self._core, self._name)

    @property
    def positions(self) -> Array:
        """Positions [m], (n, 3)."""
        return self._field("position").reshape(-1, 3)

    @property
    def velocities(self) -> Array:
        """Velocities [m/s], (n, 3)."""
        return self._field("velocity").reshape(-1, 3)

    @property
    def densities(self) -> Array:
        """Densities [kg/m³], (n,)."""
        return self._field("density")

    @property
    def pressures(self) -> Array:
        """Pressures [Pa], (n,)."""
        return self._field("pressure")

    @property
    def status(self) -> dict[str, Any]:
        """Status of the fluid.

        Numbers of ``particles``, ``markers`` and particles ``lost``, the last ``step`` [s], ``sound_speed`` and
        ``max_speed`` [m/s], and the ``compressibility``: largest minus smallest density, divided by that at rest.
        """
        return _huygens.fluid_status(self._core, self._name)

    @property
    def step(self) -> float:
        """Last step of the fluid [s]."""
        return float(self.status["step"])

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy [J]."""
        return float(self.measure("kinetic_energy")[0])

    def measure(
        self, quantity: str, *, of: Ref | None = None, point: Vector | None = None, **_: object
    ) -> Array:
        """Return the values of a quantity, as a probe would record them.

        ``count``, ``lost``, ``mass``, ``kinetic_energy``, ``potential_energy``, ``elastic_energy``, ``density_range``,
        ``compressibility``, ``max_speed``, ``step``, ``center``, ``front``, ``rear``, ``momentum``; at a ``point`` [m]
        ``pressure``, ``velocity`` and ``surface_height``. ``of`` names a wall, body or structure of it (``force``,
        ``torque``; ``pressure`` at a ``point`` of its surface), or an inlet or outlet (``count``, ``mass``,
        ``mass_flow``). NaN where there is no fluid to measure.
        """
        name = self._name if of is None else f"{self._name}/{name_in(self._core, of)}"
        place = None if point is None else vector(point, "point")
        return np.array(_huygens.measure_fluid(self._core, name, quantity, place))

    def pressure_at(self, point: Vector) -> float | None:
        """Return the pressure [Pa] at a point, a mean over the particles within the kernel; none without any."""
        found = _huygens.fluid_at(self._core, self._name, vector(point, "point"))
        return None if found is None else found[0]

    def pressure_on(self, on: Ref, point: Vector, *, radius: float | None = None) -> float:
        """Return the pressure [Pa] on the surface of a wall, body or structure; 0 where it is dry.

        It is the mean over the markers within ``radius`` [m] of ``point`` [m], where the surface is when the fluid is
        made; the gauge moves with it. By default the radius is half a spacing.
        """
        name = name_in(self._core, on)
        return _huygens.fluid_pressure_on(self._core, self._name, name, vector(point, "point"), radius)

    def velocity_at(self, point: Vector) -> Array | None:
        """Return the velocity [m/s] at a point; none where there is no fluid."""
        found = _huygens.fluid_at(self._core, self._name, vector(point, "point"))
        return None if found is None else np.array(found[1])

    def surface_height(self, point: Vector) -> float | None:
        """Return the height [m] of the surface above or below a point; none where there is no fluid."""
        height = float(self.measure("surface_height", point=point)[0])
        return None if np.isnan(height) else height

    def force(self, on: Ref) -> Array:
        """Return the mean force of the fluid on a wall, body or structure over the last step [N]."""
        return np.array(_huygens.fluid_force(self._core, self._name, name_in(self._core, on))[0])

    def torque(self, on: Ref) -> Array:
        """Return the mean torque of the fluid over the last step [N·m].

        It is about the origin of a wall, the centre of mass of a body, or for a structure the origin of the world.
        """
        return np.array(_huygens.fluid_force(self._core, self._name, name_in(self._core, on))[1])
