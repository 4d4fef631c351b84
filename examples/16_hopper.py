"""Beads run out of a hopper through a slit, at a rate that does not depend on how full it is.

Run:  python examples/16_hopper.py
See:  the rates of two halves of the time, and the constant of the law rate = C ρ √g (gap - 1.4 d)^1.5 depth.
"""

import math

import huygens as hy

GAP, DEPTH, SIZE, DENSITY = 0.012, 0.012, 3e-3, 2500

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
world.add_material(name="default", young=2e6, poisson=0.22, friction=0.3, restitution=0.5)


def plate(name, width, position, angle):
    rotation = hy.Rotate.about((0, 1, 0), degrees=angle)
    return hy.Wall.rectangle((width, DEPTH), name=name, position=position, rotation=rotation)


slope = 0.024 * math.sqrt(2)
walls = [
    plate("left slope", slope, (-0.018, 0, 0.012), 45),
    plate("right slope", slope, (0.018, 0, 0.012), -45),
    plate("left", 0.06, (-0.03, 0, 0.054), 90),
    plate("right", 0.06, (0.03, 0, 0.054), -90),
]
fill = {
    "region": {"type": "box", "low": (-0.03, -DEPTH / 2, 0.024), "high": (0.03, DEPTH / 2, 0.074)},
    "pattern": {"type": "random", "solid_fraction": 0.55},
    "sizes": {"type": "uniform", "least": 1.4e-3, "most": 1.6e-3},
    "density": DENSITY,
}
beads = world.add_grains(
    hy.Grains(
        "beads",
        laws={"rolling": "none", "spinning": "none", "adhesion": "none"},
        periodic={"y": (-DEPTH / 2, DEPTH / 2)},
        walls=walls,
        fills=[fill],
        outlets=[{"name": "out", "plane": {"position": (0, 0, -0.03), "normal": (0, 0, -1)}}],
    )
)

gone = []
for until in (0.2, 0.35, 0.5):
    world.run(until=until)
    gone.append(beads.measure("mass", of="out")[0])
first, second = (gone[1] - gone[0]) / 0.15, (gone[2] - gone[1]) / 0.15
bulk = 0.58 * DENSITY
constant = 0.5 * (first + second) / (bulk * math.sqrt(9.81) * (GAP - 1.4 * SIZE) ** 1.5 * DEPTH)
print(f"{1000 * first:.1f} and {1000 * second:.1f} g/s, C = {constant:.2f}; {len(beads)} beads are left")
assert abs(first / second - 1) < 0.15
assert 0.8 < constant < 1.4
