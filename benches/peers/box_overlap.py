"""How deep equal boxes overlap, by the separating-axis test on their poses alone.

The same test as `rapier/src/box_overlap.rs`; it shares nothing with the engine whose result it judges.
Run as a program it checks itself on overlaps known beforehand.
"""

import math

import numpy as np

# Directions of edges closer than this to parallel (sine of the angle) give no axis of their own.
PARALLEL = 1e-9


def rotation_matrices(quaternions):
    """Rotation matrices of quaternions (w, x, y, z), one a row."""
    w, x, y, z = (np.asarray(quaternions, dtype=float) / np.linalg.norm(quaternions, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def overlaps(half, positions, quaternions):
    """Smallest translation that parts each pair of boxes that overlap [m]; none where no pair does."""
    half, positions = np.asarray(half, dtype=float), np.asarray(positions, dtype=float)
    axes = rotation_matrices(quaternions)
    first, second = np.triu_indices(len(positions), k=1)
    near = np.linalg.norm(positions[second] - positions[first], axis=1) < 2 * np.linalg.norm(half)
    first, second = first[near], second[near]
    offset = positions[second] - positions[first]
    sides_a, sides_b = axes[first].transpose(0, 2, 1), axes[second].transpose(0, 2, 1)
    crosses = np.cross(sides_a[:, :, None], sides_b[:, None, :]).reshape(-1, 9, 3)
    normals = np.concatenate([sides_a, sides_b, crosses], axis=1)
    length = np.linalg.norm(normals, axis=2)
    usable = length > PARALLEL
    normals = normals / np.where(usable, length, 1.0)[:, :, None]
    reach_a = np.abs(np.einsum("pnk,psk->pns", normals, sides_a)) @ half
    reach_b = np.abs(np.einsum("pnk,psk->pns", normals, sides_b)) @ half
    depth = reach_a + reach_b - np.abs(np.einsum("pnk,pk->pn", normals, offset))
    depth = np.where(usable, depth, np.inf).min(axis=1)
    return depth[depth > 0]


def deepest_overlap(half, positions, quaternions):
    """Deepest overlap of any two of the boxes [m]."""
    return float(overlaps(half, positions, quaternions).max(initial=0.0))


def check():
    """Face in face, edge in face and edge in edge, each with a depth known from the geometry."""
    half = (0.2, 0.1, 0.1)
    none = (1.0, 0.0, 0.0, 0.0)
    cosine, sine = math.cos(math.pi / 8), math.sin(math.pi / 8)
    on_edge_x = (cosine, sine, 0.0, 0.0)
    # A quarter turn about z after the eighth of a turn about x: stands on an edge along y.
    on_edge_y = tuple(value / math.sqrt(2) for value in (cosine, sine, sine, cosine))
    root = math.sqrt(2)
    for position, first, second, expected in [
        ((0.1, 0.02, 0.197), none, none, 0.003),
        ((0.1, 0.0, 0.2001), none, none, 0.0),
        ((0.0, 0.0, 0.1 + 0.1 * root - 0.004), none, on_edge_x, 0.004),
        ((0.0, 0.0, 0.2 * root - 0.005), on_edge_x, on_edge_y, 0.005),
        ((0.0, 0.0, 0.2 * root + 0.005), on_edge_x, on_edge_y, 0.0),
    ]:
        found = deepest_overlap(half, [(0.0, 0.0, 0.0), position], [first, second])
        if abs(found - expected) > 1e-15:
            raise SystemExit(f"overlap {found} instead of {expected} at {position}")
    print("box overlaps are right")


if __name__ == "__main__":
    check()
