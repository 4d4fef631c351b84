"""The contact cases: where the bodies start, and how good an end is.

All quantities are SI. The figures are taken from the final poses alone, so that every program is judged
by the same test. `rapier/src/scene.rs` builds the same scenes.
"""

import json
import resource

import numpy as np

import box_overlap

GRAVITY = 9.81

# The wall: bricks a row, rows, sides of a brick.
WALL_COLUMNS, WALL_ROWS = 25, 20
BRICK_HALF = (0.2, 0.1, 0.1)
BRICK_MASS = 16.0
WALL_FRICTION = 0.5

BALL_RADIUS, BALL_MASS = 0.5, 1000.0
BALL_POSITION, BALL_VELOCITY = (5.0, -2.0, 2.0), (0.0, 15.0, 0.0)

# The bed: a cube of spheres above the floor of an open box that they fill from wall to wall.
SPHERE_RADIUS, SPHERE_DENSITY = 0.05, 1000.0
SPHERE_SPACING, SPHERE_JITTER = 0.105, 0.0025
BED_FRICTION = 0.3

# Bodies (the ball not counted), timed steps and settling steps of each case.
DEFAULTS = {
    "brick_wall": (WALL_COLUMNS * WALL_ROWS, 1000, 0),
    "sphere_settle": (1000, 200, 2000),
}


def wall_positions():
    """Centres of the bricks, row by row from the ground."""
    return np.array([
        (0.2 + 0.402 * column + (0.1005 if row % 2 else 0.0), 0.0, 0.1 + 0.2 * row)
        for row in range(WALL_ROWS)
        for column in range(WALL_COLUMNS)
    ])


def bed_side(size):
    """Spheres along an edge of the cube."""
    side = round(size ** (1 / 3))
    if side**3 != size:
        raise SystemExit(f"{size} spheres do not make a cube")
    return side


def bed_positions(size):
    """Centres of the spheres: a lattice, disturbed by a congruential generator that every program can repeat."""
    side, seed, positions = bed_side(size), 1, []
    for index in range(size):
        place = []
        for cell in (index % side, index // side % side, index // side**2):
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            place.append(SPHERE_SPACING * (cell + 0.5) + SPHERE_JITTER * ((seed >> 11) / 2**52 - 1.0))
        positions.append(place)
    return np.array(positions)


def bed_walls(size):
    """Floor and four walls: a point of each, and the normal into the box."""
    far = SPHERE_SPACING * bed_side(size)
    return [
        ((0, 0, 0), (0, 0, 1)),
        ((0, 0, 0), (1, 0, 0)),
        ((0, 0, 0), (0, 1, 0)),
        ((far, far, 0), (-1, 0, 0)),
        ((far, far, 0), (0, -1, 0)),
    ]


def wall_figures(positions, quaternions):
    """Sink of the top row (largest and mean), largest sideways drift, deepest overlap of two bricks [mm]."""
    moved = positions - wall_positions()
    sink = -moved[-WALL_COLUMNS:, 2]
    return {
        "sink_mm": 1e3 * float(sink.max()),
        "sink_mean_mm": 1e3 * float(sink.mean()),
        "drift_mm": 1e3 * float(np.linalg.norm(moved[:, :2], axis=1).max()),
        "penetration_mm": 1e3 * box_overlap.deepest_overlap(BRICK_HALF, positions, quaternions),
    }


def bed_figures(positions):
    """Overlaps of touching spheres and walls, over the radius."""
    first, second = np.triu_indices(len(positions), k=1)
    between = 2 * SPHERE_RADIUS - np.linalg.norm(positions[second] - positions[first], axis=1)
    walls = [SPHERE_RADIUS - (positions - point) @ normal for point, normal in bed_walls(len(positions))]
    overlaps = np.concatenate([between, *walls])
    overlaps = overlaps[overlaps > 0]
    return {
        "touching": len(overlaps),
        "penetration_max": float(overlaps.max(initial=0.0)) / SPHERE_RADIUS,
        "penetration_mean": float(overlaps.mean()) / SPHERE_RADIUS if len(overlaps) else 0.0,
    }


def report(case, variant, size, tool, version, method, steps, runs, figures):
    """Print the JSON line of the fastest of `runs`, a list of `Clock`s."""
    best = min(runs, key=lambda clock: clock.cpu_s)
    line = {
        "case": case,
        "variant": variant,
        "size": size,
        "tool": tool,
        "version": version,
        "method": method,
        "threads": 1,
        "steps": steps,
        "wall_s": best.wall_s,
        "cpu_s": best.cpu_s,
        "ms_per_step": 1e3 * best.cpu_s / steps,
        **figures,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }
    print(json.dumps(line), flush=True)
