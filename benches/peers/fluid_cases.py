"""The dam break: numbers of the case, and its particles."""

import itertools

TANK, COLUMN = (1.61, 0.6, 0.6), (0.6, 0.6, 0.3)
DENSITY, ARTIFICIAL, LENGTH_RATIO, LAYERS = 1000.0, 0.1, 1.4, 3
STEPS = 1000


def lattice(low, high, d):
    """Middles of the cells of a box of whole numbers of cells."""
    ranges = [range(a, b) for a, b in zip(low, high, strict=True)]
    return (tuple((n + 0.5) * d for n in cell) for cell in itertools.product(*ranges))


def dam(size):
    """Spacing, speed of sound, step, and places of water and walls of a dam of about `size` particles."""
    volume = COLUMN[0] * COLUMN[1] * COLUMN[2]
    d = COLUMN[2] / max(2, round(COLUMN[2] * (size / volume) ** (1 / 3)))
    column, tank = ([round(side / d) for side in sides] for sides in (COLUMN, TANK))
    shell = lattice([-LAYERS] * 3, [tank[0] + LAYERS, tank[1] + LAYERS, tank[2]], d)
    inside = lambda p: 0 < p[0] < tank[0] * d and 0 < p[1] < tank[1] * d and p[2] > 0
    return {
        "spacing": d,
        "sound": 10 * (2 * 9.81 * COLUMN[2]) ** 0.5,
        "step": 5e-3 * d,
        "water": list(lattice([0] * 3, column, d)),
        "walls": [place for place in shell if not inside(place)],
    }
