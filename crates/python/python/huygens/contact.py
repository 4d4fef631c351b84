"""Contact results of a world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._huygens import Composite, ContactPoint

if TYPE_CHECKING:
    from .handles import BodyHandle

Array: TypeAlias = NDArray[np.float64]

__all__ = ["Composite", "ContactPoint", "ContactStatistics", "Contacts", "NearestPoint", "RayHit"]


@dataclass(frozen=True)
class Contacts:
    """Contacts of the last step that carry a force or overlap, one row per contact; copies."""

    body_a: NDArray[np.int64]
    """First bodies, as rows of `World.bodies` and `World.positions`, (n,)."""
    body_b: NDArray[np.int64]
    """Second bodies, (n,)."""
    point: Array
    """Points midway between the surfaces [m], (n, 3)."""
    normal: Array
    """Unit normals from the first to the second body, (n, 3)."""
    gap: Array
    """Distances of the surfaces [m], negative where they overlap, (n,)."""
    force: Array
    """Forces on the second body [N], world axes, (n, 3); the opposite acts on the first one."""
    couple: Array
    """Couples of rolling and spinning friction on the second body [N·m], world axes, (n, 3)."""

    def __len__(self) -> int:
        return len(self.gap)


class ContactStatistics(NamedTuple):
    """Contact statistics since the world was created."""

    steps: int
    """Steps with contacts."""
    most_contacts: int
    """Largest number of contacts in a step."""
    iterations: int
    """Iterations of the contact solver in all steps."""
    missed: int
    """Steps in which it did not reach its tolerance."""
    worst_residual: float
    """Largest residual of these [m/s]."""
    worst_time: float
    """Time of that step [s]."""
    critical_step: float
    """Smallest critical step of compliant contacts [s]; zero if there were none."""
    too_long: int
    """Explicit steps that were longer than their critical step."""


class RayHit(NamedTuple):
    """The hit of a ray on a body."""

    body: BodyHandle
    """The body."""
    distance: float
    """Distance from the origin of the ray [m]."""
    point: Array
    """The point [m]."""
    normal: Array
    """Unit normal of the surface."""


class NearestPoint(NamedTuple):
    """The nearest point of a body's surface."""

    body: BodyHandle
    """The body."""
    distance: float
    """Distance to the surface [m]; negative inside."""
    point: Array
    """The point on the surface [m]."""
    normal: Array
    """Unit direction in which the distance grows."""
