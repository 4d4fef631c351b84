"""The beds of grains: numbers of the case, and how their tables are read."""

import csv

STEP, DENSITY, YOUNG, POISSON, FRICTION = 1e-5, 2500.0, 5e6, 0.3, 0.5
WARM_STEPS = 500


def timed_steps(size):
    """Steps that are timed."""
    return 500 if size < 20_000 else 100


def table(size):
    """Name of the file with a settled bed."""
    return f"dem_settled_{size}.csv"


def bed(size, data):
    """Rows of x, y, z and radius, and the side of the square box they lie in [m]."""
    with open(data / table(size), newline="") as file:
        rows = [tuple(map(float, row)) for row in list(csv.reader(file))[1:]]
    return rows, round(max(row[0] + row[3] for row in rows) / 0.25e-3) * 0.25e-3
