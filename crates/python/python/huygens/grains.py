"""Granular matter of a world: its fields as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _huygens
from .handles import Handle

if TYPE_CHECKING:
    from .spec.values import Matrix, Ref, Vector

Array: TypeAlias = NDArray[np.float64]

__all__ = ["GrainsHandle"]


class GrainsHandle(Handle):
    """Granular matter.

    All arrays are copies, with one row for each grain in the order of `ids`: grains keep their ids while the engine
    sorts them for speed.
    """

    __slots__ = ()

    def __len__(self) -> int:
        return _huygens.grain_count(self._core, self._name)

    def add(
        self,
        positions: Matrix,
        *,
        radius: float | Vector,
        density: float,
        velocity: Vector | Matrix | None = None,
        angular_velocity: Vector | Matrix | None = None,
        material: Ref | None = None,
    ) -> NDArray[np.uint64]:
        """Add grains and return their ids.

        ``positions`` [m] is (n, 3); ``radius`` [m], ``velocity`` [m/s] and ``angular_velocity`` [rad/s] are given for
        all grains or for each; ``density`` [kg/m³].
        """
        places = np.ascontiguousarray(positions, dtype=np.float64).reshape(-1, 3)
        radii = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, dtype=np.float64), len(places)))
        name = material if material is None or isinstance(material, str) else material.name
        first, end = _huygens.add_particles(
            self._core, self._name, places, radii, float(density), _each(velocity, len(places)),
            _each(angular_velocity, len(places)), name,
        )
        return np.arange(first, end, dtype=np.uint64)

    def remove(self, ids: Iterable[int]) -> None:
        """Remove the grains with these ids; those of the others stay."""
        _huygens.remove_particles(self._core, self._name, [int(id) for id in ids])

    def _rows(self, field: str) -> Array:
        return _huygens.grain_field(self._core, self._name, field).reshape(-1, 3)

    @property
    def ids(self) -> NDArray[np.uint64]:
        """Ids, rising."""
        return _huygens.grain_ids(self._core, self._name)

    @property
    def positions(self) -> Array:
        """Centres [m], (n, 3)."""
        return self._rows("position")

    @property
    def velocities(self) -> Array:
        """Velocities [m/s], (n, 3)."""
        return self._rows("velocity")

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities [rad/s], world axes, (n, 3)."""
        return self._rows("angular_velocity")

    @property
    def forces(self) -> Array:
        """Forces of contacts [N], (n, 3)."""
        return self._rows("force")

    @property
    def torques(self) -> Array:
        """Torques of contacts about the centres [N·m], (n, 3)."""
        return self._rows("torque")

    @property
    def radii(self) -> Array:
        """Radii [m], (n,)."""
        return _huygens.grain_field(self._core, self._name, "radius")

    @property
    def masses(self) -> Array:
        """Masses [kg], (n,)."""
        return _huygens.grain_field(self._core, self._name, "mass")

    @property
    def step(self) -> float:
        """Longest step of the grains [s]."""
        return _huygens.grain_step(self._core, self._name)

    def measure(self, quantity: str, **_: object) -> Array:
        """Return the numbers of a quantity, as a probe would record them.

        ``count``, ``contact_count``, ``mass``, ``kinetic_energy``, ``potential_energy``, ``center``, ``momentum``.
        """
        return np.array(_huygens.measure_grains(self._core, self._name, quantity))

    @property
    def contact_count(self) -> int:
        """Pairs of grains that touch."""
        return int(self.measure("contact_count")[0])

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy [J]."""
        return float(self.measure("kinetic_energy")[0])

    def wall_force(self, wall: str) -> Array:
        """Return the mean force of the grains on a wall over the last step [N]."""
        return np.array(_huygens.wall_force(self._core, self._name, wall)[0])

    def wall_torque(self, wall: str) -> Array:
        """Return the mean torque of the grains on a wall about its origin over the last step [N·m]."""
        return np.array(_huygens.wall_force(self._core, self._name, wall)[1])


def _each(vectors: Vector | Matrix | None, count: int) -> Array | None:
    if vectors is None:
        return None
    return np.ascontiguousarray(np.broadcast_to(np.asarray(vectors, dtype=np.float64), (count, 3)))
