"""Writes bolt.obj and nut.obj, the meshes of example 13, in millimetres.

Run:  python examples/assets/make_thread.py
The rows of vertices follow the helix, so that the crests and flanks of the thread are edges and faces of the mesh.
"""

from math import cos, pi, sin
from pathlib import Path

PITCH, RADIUS, DEPTH = 8.0, 12.0, 4.0  # of the thread: along the axis, at the crest, from crest to root
CLEARANCE = 0.4  # between bolt and nut, radially
COLUMNS, ROWS = 36, 4  # vertices a turn and a pitch


def thread(row, clearance):
    """Radius of the thread; rows count along the axis, away from the helix."""
    share = (row % ROWS) / ROWS
    return RADIUS - DEPTH * abs(2 * share - 1) + clearance


def hexagon(angle, apothem=20.0):
    """Radius of a hexagon."""
    return apothem / cos((angle + pi / 6) % (pi / 3) - pi / 6)


class Tube:
    """A surface of helical rows, closed around the axis: column `COLUMNS` of a row is column 0 one pitch higher."""

    def __init__(self, pitches, radius):
        self.rows = pitches * ROWS
        self.points = {}
        for i in range(COLUMNS):
            for m in range(self.rows + (ROWS if i == 0 else 0) + 1):
                angle = 2 * pi * i / COLUMNS
                r, z = radius(angle, m), PITCH * (m / ROWS + i / COLUMNS)
                self.points[i, m] = (r * cos(angle), r * sin(angle), z)

    @staticmethod
    def key(i, m):
        return (0, m + ROWS) if i == COLUMNS else (i, m)

    def faces(self):
        for i in range(COLUMNS):
            for m in range(self.rows):
                yield [self.key(i, m), self.key(i + 1, m), self.key(i + 1, m + 1), self.key(i, m + 1)]

    def rims(self):
        """Boundaries in the direction of the faces: the lower one, then the upper one."""
        low = [(i, 0) for i in range(COLUMNS)] + [(0, m) for m in range(ROWS, 0, -1)]
        top = self.rows
        high = [(0, top + m) for m in range(ROWS + 1)] + [(i, top) for i in range(COLUMNS - 1, 0, -1)]
        return low, high


def write(path, comment, tubes, faces, extra=()):
    index, lines = {}, [f"# {comment} [mm]; made by make_thread.py"]
    vertices = [((k, key), p) for k, tube in enumerate(tubes) for key, p in tube.points.items()]
    for name, point in vertices + list(extra):
        index[name] = len(index) + 1
        lines.append("v " + " ".join(f"{x:.4f}" for x in point))
    lines += ["f " + " ".join(str(index[v]) for v in face) for face in faces]
    path.write_text("\n".join(lines) + "\n")


def pairs(rim):
    return zip(rim, rim[1:] + rim[:1])


def bolt(path, pitches=6):
    tube = Tube(pitches, lambda angle, m: thread(m, 0.0))
    faces = [[(0, v) for v in face] for face in tube.faces()]
    ends = [("low", (0.0, 0.0, -1.0)), ("high", (0.0, 0.0, PITCH * (pitches + 1) + 1.0))]
    for (center, _), rim in zip(ends, tube.rims()):
        faces += [[center, (0, b), (0, a)] for a, b in pairs(rim)]
    write(path, "bolt", [tube], faces, ends)


def nut(path, pitches=2):
    outer = Tube(pitches, lambda angle, m: hexagon(angle))
    inner = Tube(pitches, lambda angle, m: thread(m, CLEARANCE))
    faces = [[(0, v) for v in face] for face in outer.faces()]
    faces += [[(1, v) for v in reversed(face)] for face in inner.faces()]
    for rim in outer.rims():
        faces += [[(0, b), (0, a), (1, a), (1, b)] for a, b in pairs(rim)]
    write(path, "nut", [outer, inner], faces)


if __name__ == "__main__":
    folder = Path(__file__).parent
    bolt(folder / "bolt.obj")
    nut(folder / "nut.obj")
