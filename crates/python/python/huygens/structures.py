"""Flexible structures of a world: nodes and elements as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _huygens
from ._plain import Named
from .handles import Handle

if TYPE_CHECKING:
    from ._huygens import Core

Array: TypeAlias = NDArray[np.float64]

__all__ = ["Buckling", "LoadPath", "NaturalModes", "NodeHandle", "SectionForces", "SolidStresses", "StructureHandle"]


@dataclass(frozen=True)
class SectionForces:
    """Section forces of lines at one point of each element, section axes: x points along the line."""

    points: Array
    """Places [m], (n, 3)."""
    strains: Array
    """Stretch, shear along y and z, twist, curvatures about y and z, (n, 6)."""
    axial_forces: Array
    """Pull [N], (n,)."""
    shears: Array
    """Shear forces along y and z [N], (n, 2)."""
    torsions: Array
    """Torque about the line [N·m], (n,)."""
    moments: Array
    """Bending moments about y and z [N·m], (n, 2)."""
    energies: Array
    """Elastic energy per length [J/m], (n,)."""


@dataclass(frozen=True)
class SolidStresses:
    """Strain and stress of tetrahedra, world axes."""

    strains: Array
    """(n, 3, 3)."""
    stresses: Array
    """[Pa], (n, 3, 3)."""
    von_mises: Array
    """[Pa], (n,)."""
    energies: Array
    """[J], (n,)."""


@dataclass(frozen=True)
class LoadPath:
    """Equilibria under increasing loads."""

    factors: Array
    """Factor of gravity and loads at each."""
    probes: dict[str, Array]
    """Values of the probes at each, by column."""
    steps: int
    """Equilibria found."""
    cuts: int
    """Steps that had to be cut."""
    iterations: int
    """Iterations of all steps."""
    factor: float
    """Factor at the end."""
    residual: float
    """Largest unbalanced force at the end [N or N·m]."""


@dataclass(frozen=True)
class NaturalModes:
    """Undamped small motions, lowest frequency first."""

    squares: Array
    """Squares of the circular frequencies [rad²/s²]; below zero where the motion grows."""
    frequencies: Array
    """[Hz]."""
    shapes: Array
    """Velocities of the columns, a row for each mode."""


@dataclass(frozen=True)
class Buckling:
    """Loads at which the world buckles, smallest first."""

    factors: Array
    """Factors of gravity and loads."""
    shapes: Array
    """Velocities of the columns, a row for each."""


class NodeHandle(Named):
    """A node of a structure; joints, springs and probes accept it like a body."""

    __slots__ = ("_node", "_structure")

    def __init__(self, structure: StructureHandle, node: str) -> None:
        self._structure = structure
        self._node = node

    @property
    def name(self) -> str:
        """The name by which joints refer to it, ``structure/node``."""
        return f"{self._structure.name}/{self._node}"

    def _world_core(self) -> Core:
        return self._structure._core

    @property
    def index(self) -> int:
        """Its row in the arrays of the structure."""
        rows = self._structure.rows(self._node)
        if len(rows) != 1:
            message = f"'{self.name}' has {len(rows)} nodes; exactly one is needed here"
            raise ValueError(message)
        return int(rows[0])

    def _row(self, rows: Array) -> Array:
        row: Array = rows[self.index]
        return row

    @property
    def position(self) -> Array:
        """Position [m]."""
        return self._row(self._structure.positions)

    @property
    def velocity(self) -> Array:
        """Velocity [m/s]."""
        return self._row(self._structure.velocities)

    @property
    def rotation(self) -> Array:
        """Orientation as a quaternion w, x, y, z."""
        return self._row(self._structure.rotations)

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity [rad/s], world axes."""
        return self._row(self._structure.angular_velocities)

    def __repr__(self) -> str:
        return f"NodeHandle({self.name!r})"


class StructureHandle(Handle):
    """A flexible structure.

    All arrays are copies, with one row per node or element in the order of the mesh.
    """

    __slots__ = ()

    def __len__(self) -> int:
        """Return the number of nodes."""
        return _huygens.structure_size(self._core, self._name)[0]

    def __getitem__(self, node: str | int) -> NodeHandle:
        """Return a node by its number in the mesh or by a set of one node, such as ``"end"``."""
        return NodeHandle(self, str(node))

    @property
    def node_labels(self) -> NDArray[np.uint64]:
        """Numbers of the nodes in the mesh."""
        return np.array(_huygens.structure_labels(self._core, self._name)[0], dtype=np.uint64)

    @property
    def element_labels(self) -> NDArray[np.uint64]:
        """Numbers of the elements in the mesh."""
        return np.array(_huygens.structure_labels(self._core, self._name)[1], dtype=np.uint64)

    @property
    def elements(self) -> list[list[int]]:
        """Rows of the nodes of each element."""
        return _huygens.structure_elements(self._core, self._name)

    def rows(self, nodes: str | int) -> NDArray[np.uint32]:
        """Return the rows of the nodes of a set, or of one node by its number in the mesh."""
        return np.array(_huygens.structure_nodes(self._core, self._name, str(nodes)), dtype=np.uint32)

    def _field(self, name: str, components: int = 3) -> Array:
        return _huygens.node_field(self._core, self._name, name).reshape(-1, components)

    @property
    def positions(self) -> Array:
        """Positions of the nodes [m], (n, 3)."""
        return self._field("position")

    @property
    def velocities(self) -> Array:
        """Velocities of the nodes [m/s], (n, 3)."""
        return self._field("velocity")

    @property
    def rotations(self) -> Array:
        """Orientations of the nodes as quaternions w, x, y, z, (n, 4)."""
        return self._field("rotation", 4)

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities of the nodes [rad/s], world axes, (n, 3)."""
        return self._field("angular_velocity")

    @property
    def energy(self) -> float:
        """Elastic energy [J]."""
        return _huygens.structure_energy(self._core, self._name)

    def section_forces(self, at: float = 0.5) -> SectionForces:
        """Return the section forces of each line at a point from 0 at its first node to 1 at its last."""
        rows = _huygens.section_forces(self._core, self._name, float(at)).reshape(-1, 16)
        return SectionForces(
            rows[:, :3], rows[:, 3:9], rows[:, 9], rows[:, 10:12], rows[:, 12], rows[:, 13:15], rows[:, 15]
        )

    def solid_stresses(self) -> SolidStresses:
        """Return strain and stress of all tetrahedra."""
        rows = _huygens.solid_stresses(self._core, self._name).reshape(-1, 20)
        return SolidStresses(rows[:, :9].reshape(-1, 3, 3), rows[:, 9:18].reshape(-1, 3, 3), rows[:, 18], rows[:, 19])
