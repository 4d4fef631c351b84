"""Reports of a world."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

__all__ = [
    "AssemblyReport",
    "Energy",
    "Modes",
    "Motions",
    "StateViews",
    "StaticsReport",
    "StepReport",
]


class Energy(NamedTuple):
    """Energy of a world [J]."""

    kinetic: float
    potential: float
    elastic: float

    @property
    def total(self) -> float:
        """Sum of all parts [J]."""
        return self.kinetic + self.potential + self.elastic


class AssemblyReport(NamedTuple):
    """Report of the assembly of the initial state."""

    moved: float
    """Largest position correction [m or rad]."""
    velocity_change: float
    """Largest velocity correction [m/s or rad/s]."""
    iterations: int
    """Newton iterations."""
    redundant: list[str]
    """Redundant constraint rows."""
    degrees_of_freedom: int
    """Degrees of freedom."""


class StepReport(NamedTuple):
    """Report of a step."""

    step_size: float
    """Size of the step taken [s]."""
    iterations: int
    """Newton iterations."""
    factorizations: int
    """Factorizations."""
    rejected: int
    """Rejected steps."""
    local_error: float
    """Estimated local position error."""
    contacts: int
    """Number of contacts."""
    contact_iterations: int
    """Iterations of the contact solver."""
    contact_residual: float
    """Residual reached [m/s]."""
    contact_converged: bool
    """Whether that is within its tolerance."""


class StaticsReport(NamedTuple):
    """Report of the search for an equilibrium."""

    iterations: int
    """Number of iterations."""
    residual: float
    """Largest unbalanced force [N or N·m]."""
    stable: bool
    """Whether every small motion is resisted."""


class Modes(NamedTuple):
    """Small motions about a state."""

    eigenvalues: NDArray[np.complex128]
    """Exponents s of exp(s t) [1/s]."""
    frequencies: Array
    """Undamped frequencies [Hz]."""
    damping_ratios: Array
    """Damping ratios."""
    shapes: NDArray[np.complex128]
    """Shapes, one column per eigenvalue."""


class Motions(NamedTuple):
    """Motion of all bodies, one row per body in the order in which they were added; copies."""

    positions: Array
    """Positions of the body frames [m], (n, 3)."""
    rotations: Array
    """Unit quaternions w, x, y, z, (n, 4)."""
    velocities: Array
    """Velocities of the body frames [m/s], world axes, (n, 3)."""
    angular_velocities: Array
    """Angular velocities [rad/s], world axes, (n, 3)."""


class StateViews(NamedTuple):
    """Read-only views of the state, which follow the world without copying.

    One row per *dynamic* body, in the order in which they were added. The state holds centres of mass, quaternions with
    the scalar last, and angular velocities in body axes. When the model changes (an object is added, a body is placed,
    a setting changes, a state is restored), the views keep the last values of the old model: request new ones.
    """

    positions: Array
    """Centres of mass [m], (n, 3)."""
    rotations: Array
    """Unit quaternions x, y, z, w, (n, 4)."""
    velocities: Array
    """Velocities of the centres of mass [m/s], world axes, (n, 3)."""
    angular_velocities: Array
    """Angular velocities [rad/s], body axes, (n, 3)."""
    q: Array
    """All positions, bodies first, then shafts."""
    v: Array
    """All velocities."""
