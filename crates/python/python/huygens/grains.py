"""Granular matter of a world: its fields as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _huygens
from ._arguments import integers, name_in, rows, scalars
from ._plain import plain
from .handles import Handle

if TYPE_CHECKING:
    from ._values import Matrix, Ref, Vector

Array: TypeAlias = NDArray[np.float64]

__all__ = ["GrainsHandle"]


class GrainsHandle(Handle):
    """Granular matter.

    All arrays are copies, with one row per grain in the order of `ids`: grains keep their ids while the engine
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
        places = rows(positions, "positions")
        count = len(places)
        radii = scalars(radius, "radius", count)
        velocities = None if velocity is None else rows(velocity, "velocity", count=count)
        spins = None if angular_velocity is None else rows(angular_velocity, "angular_velocity", count=count)
        name = None if material is None else name_in(self._core, material)
        if not count:
            return np.empty(0, dtype=np.uint64)
        first, end = _huygens.add_particles(
            self._core, self._name, places, radii, float(density), velocities, spins, name
        )
        return np.arange(first, end, dtype=np.uint64)

    def remove(self, ids: Iterable[int]) -> None:
        """Remove the grains with these ids; the ids of the others do not change."""
        _huygens.remove_particles(self._core, self._name, integers(ids, "ids"))

    def _rows(self, field: str) -> Array:
        return _huygens.grain_field(self._core, self._name, field).reshape(-1, 3)

    @property
    def ids(self) -> NDArray[np.uint64]:
        """Ids, ascending."""
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

    def clumps(self) -> dict[str, Any]:
        """Return the clumps in the order in which they were added: the name of the ``kind`` of each, and arrays.

        ``position`` and ``velocity`` of the centres of mass [m, m/s], ``rotation`` (w, x, y, z), ``angular_velocity``
        [rad/s], ``mass`` [kg].
        """
        states = _huygens.clump_states(self._core, self._name)
        for name, width in (("position", 3), ("rotation", 4), ("velocity", 3), ("angular_velocity", 3)):
            states[name] = states[name].reshape(-1, width)
        return states

    def measure(self, quantity: str, *, of: str | None = None, **_: object) -> Array:
        """Return the values of a quantity, as a probe would record them.

        ``count``, ``contact_count``, ``coordination``, ``mass``, ``kinetic_energy``, ``potential_energy``,
        ``elastic_energy``, ``dissipated_energy`` (from the first query on), ``temperature``, ``center``,
        ``momentum``. ``of`` names a wall (``force``, ``torque``), an inlet or outlet (``count``, ``mass``), or a
        measure with a single row, by the names of its columns.
        """
        name = self._name if of is None else f"{self._name}/{of}"
        return np.array(_huygens.measure_grains(self._core, name, quantity))

    def table(self, type: str, **keys: Any) -> dict[str, Array]:
        """Measure a table: its columns by name.

        ``type`` and ``keys`` are those of ``quantity`` under ``[[grains.measures]]`` of scene files.
        """
        names, values = _huygens.grain_table(self._core, self._name, plain({"type": type, **keys}, self._core))
        rows = values.reshape(-1, len(names))
        return {name: np.ascontiguousarray(rows[:, k]) for k, name in enumerate(names)}

    def measure_coordination(self, *, least: int = 3) -> dict[str, float]:
        """Return the ``mean`` number of contacts, that of ``bearing`` grains, and the number of ``rattlers``.

        A grain with fewer than ``least`` contacts bears no load.
        """
        return {name: float(column[0]) for name, column in self.table("coordination", least=least).items()}

    def measure_solid_fraction(
        self, region: Mapping[str, Any] | None = None, *, cells: Mapping[str, Any] | None = None
    ) -> float | Array:
        """Return the solid fraction in a ``region``, or in each of the ``cells``, (nx, ny, nz).

        ``region`` has the keys of fills; ``cells`` are ``{"low": .., "high": .., "count": (nx, ny, nz)}``.
        """
        if cells is None:
            return float(self.table("solid_fraction", region=region)["solid_fraction"][0])
        found = self.table("solid_fraction", cells=cells)["solid_fraction"]
        return found.reshape(tuple(cells["count"]), order="F")

    def measure_stress(
        self,
        region: Mapping[str, Any] | None = None,
        *,
        cells: Mapping[str, Any] | None = None,
        kinetic: bool = False,
    ) -> Array:
        """Return the mean stress [Pa] in a ``region``, (3, 3), or in each of the ``cells``, (nx, ny, nz, 3, 3).

        It is positive in compression: that of the contacts, or the ``kinetic`` part of the motion.
        """
        found = self.table("stress", region=region) if cells is None else self.table("stress", cells=cells)
        start = "kinetic_" if kinetic else ""
        rows = [[found[start + name] for name in row] for row in _TENSOR]
        stress = np.moveaxis(np.array(rows), -1, 0)
        return stress[0] if cells is None else stress.reshape((*cells["count"], 3, 3), order="F")

    def measure_temperature(self, region: Mapping[str, Any] | None = None) -> float:
        """Return the granular temperature [m²/s²] of the grains in a region, or of all."""
        return float(self.table("temperature", region=region)["temperature"][0])

    def measure_velocity_profile(
        self, axis: Vector, span: Vector, bins: int, *, region: Mapping[str, Any] | None = None
    ) -> dict[str, Array]:
        """Return means over equal bins between the two ends of ``span`` [m] along ``axis``.

        ``at`` [m], ``count``, ``mass`` [kg], ``velocity`` [m/s] and ``angular_velocity`` [rad/s], (bins, 3), and the
        granular ``temperature`` [m²/s²].
        """
        found = self.table("velocity_profile", axis=axis, span=span, bins=bins, region=region)
        vectors = {name: np.stack([found.pop(first + k) for k in "xyz"], axis=1) for name, first in _VECTORS}
        return found | vectors

    def measure_mass_flow(
        self, position: Vector, normal: Vector, thickness: float, *, radius: float | None = None
    ) -> float:
        """Return the mass flow [kg/s] through a plane along its normal.

        It is the mean over a layer of ``thickness`` [m] about the plane, within ``radius`` [m] of the point.
        """
        keys = {"position": position, "normal": normal, "thickness": thickness, "radius": radius}
        return float(self.table("mass_flow", **keys)["mass_flow"][0])

    def measure_segregation(
        self, cells: Mapping[str, Any], first: Mapping[str, Any], *, least: int = 5
    ) -> dict[str, float]:
        """Return the mixing of two kinds over cells with at least ``least`` grains.

        ``first`` selects the first kind: ``{"smaller_than": radius}``, ``{"material": name}`` or ``{"id_below": id}``.
        The ``segregation`` of Danckwerts is 1 if separated and 0 if uniform, the ``mixing`` of Lacey 0 if separated
        and 1 if random.
        """
        found = self.table("segregation", cells=cells, first=first, least=least)
        return {name: float(column[0]) for name, column in found.items()}

    def measure_force_chains(self, share: float = 1.0) -> dict[str, Array]:
        """Return the contacts that carry more than ``share`` times the mean force.

        Their ends ``a`` and ``b`` [m], (n, 3), ``force`` [N], and the number of their ``chain``.
        """
        found = self.table("force_chains", share=share)
        ends = {end: np.stack([found.pop(end + k) for k in "xyz"], axis=1) for end in "ab"}
        return found | ends

    @property
    def contact_count(self) -> int:
        """Number of pairs of grains in contact."""
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


_TENSOR = (("xx", "xy", "zx"), ("xy", "yy", "yz"), ("zx", "yz", "zz"))
_VECTORS = (("velocity", "v"), ("angular_velocity", "w"))
