"""A tube full of beads is lifted; they flow out and lie in a heap, whose slope is the angle of repose.

Run:  python examples/15_repose.py
See:  the slope of the heap, and that the floor carries all beads.
"""

import numpy as np

import huygens as hy

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3, until=1.0)
world.add_material(name="default", young=2e6, poisson=0.22, friction=0.5, restitution=0.4, rolling_friction=3e-4)
lift = {"translation": [0, 0, hy.Function.polynomial([0, 0.08])]}
tube = hy.Wall.cylinder(0.016, 0.1, name="tube", position=(0, 0, 0.05), motion=lift)
fill = {
    "region": {"type": "cylinder", "base": (0, 0, 0), "radius": 0.016, "height": 0.07},
    "pattern": {"type": "cubic", "spacing": 4.2e-3, "jitter": 4e-5},
    "sizes": {"type": "uniform", "least": 1.9e-3, "most": 2.0e-3},
    "density": 2500,
}
laws = {"spinning": "none", "adhesion": "none"}
beads = world.add_grains(hy.Grains("beads", laws=laws, walls=[hy.Wall.plane(name="floor"), tube], fills=[fill]))
world.run()

# The centre of a cone lies at a quarter of its height, and half of it within half of its radius.
places = beads.positions
height, distance = places[:, 2].mean(), np.median(np.hypot(places[:, 0], places[:, 1]))
slope = np.degrees(np.arctan(2 * height / distance))
weight = 9.81 * beads.masses.sum()
print(f"{len(beads)} beads, slope of the heap {slope:.1f} degrees, {-beads.wall_force('floor')[2]:.3f} N on the floor")
assert 12 < slope < 35
assert abs(beads.wall_force("floor")[2] / -weight - 1) < 0.02
