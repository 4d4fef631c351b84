"""Writes drum.obj, the mesh of example 17, in millimetres: a ring with lifters on its inside, closed all around.

Run:  python examples/assets/make_drum.py
The axis of the drum is z. Each lifter is a bar of trapezoid section along the whole drum.
"""

from math import cos, pi, sin
from pathlib import Path

INNER, OUTER, HALF_LENGTH = 60.0, 64.0, 16.0
LIFTERS, HEIGHT, FOOT, CREST = 6, 10.0, 0.10, 0.05  # number, height, half angles of foot and crest [rad]
ARC = 4  # pieces of the ring between two lifters


def section():
    """Angles with the inner radius there, once round."""
    for k in range(LIFTERS):
        middle = 2 * pi * k / LIFTERS
        yield from [(middle - FOOT, INNER), (middle - CREST, INNER - HEIGHT)]
        yield from [(middle + CREST, INNER - HEIGHT), (middle + FOOT, INNER)]
        gap = 2 * pi / LIFTERS - 2 * FOOT
        yield from [(middle + FOOT + gap * j / ARC, INNER) for j in range(1, ARC)]


def write(path):
    rows = list(section())
    count = len(rows)
    lines = ["# drum [mm]; made by make_drum.py"]
    # Four rings of corners: inner and outer, at the lower and the upper end.
    for outer in (False, True):
        for z in (-HALF_LENGTH, HALF_LENGTH):
            for angle, inner in rows:
                r = OUTER if outer else inner
                lines.append(f"v {r * cos(angle):.4f} {r * sin(angle):.4f} {z:.4f}")
    for i in range(count):
        a, b = i + 1, (i + 1) % count + 1
        corners = [[a + k * count, b + k * count] for k in range(4)]
        inner_low, inner_high, outer_low, outer_high = corners
        strips = [(inner_high, inner_low), (outer_low, outer_high), (inner_low, outer_low), (outer_high, inner_high)]
        for (p, q), (s, t) in strips:
            lines += [f"f {p} {q} {t}", f"f {p} {t} {s}"]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(Path(__file__).parent / "drum.obj")
