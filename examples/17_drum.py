"""A drum with lifters, a triangle mesh, turns and carries beads up until they slide and fall.

Run:  python examples/17_drum.py
See:  the mean torque on the drum, and the weight of the beads times the offset of their centre.
"""

from pathlib import Path

import numpy as np

import huygens as hy

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
world.add_material(name="default", young=2e6, poisson=0.25, friction=0.4, restitution=0.4)
turn = {"axis": (0, 1, 0), "angle": hy.Function.polynomial([0, 4])}
# The mesh is in millimetres, its axis z; examples/assets/make_drum.py makes it. Two discs that turn with it close it.
mesh = Path(__file__).parent / "assets/drum.obj"
walls = [
    hy.Wall.mesh(mesh, scale=1e-3, name="drum", axis=(0, -1, 0), motion=turn),
    hy.Wall.disc(0.062, name="front", position=(0, -0.016, 0), axis=(0, 1, 0), motion=turn, visible=False),
    hy.Wall.disc(0.062, name="back", position=(0, 0.016, 0), axis=(0, 1, 0), motion=turn, visible=False),
]
fill = {
    "region": {"type": "box", "low": (-0.036, -0.016, -0.032), "high": (0.036, 0.016, 0.008)},
    "pattern": {"type": "random", "solid_fraction": 0.5},
    "sizes": {"type": "uniform", "least": 2.2e-3, "most": 2.5e-3},
    "density": 2500,
}
laws = {"rolling": "none", "spinning": "none", "adhesion": "none"}
beads = world.add_grains(hy.Grains("beads", laws=laws, walls=walls, fills=[fill]))

world.run(until=0.6)
torques, offsets = [], []
while world.time < 1.0 - 1e-9:
    world.step()
    torques.append(sum(beads.wall_torque(name)[1] for name in ("drum", "front", "back")))
    offsets.append(beads.measure("center")[0])
torque, expected = np.mean(torques), 9.81 * beads.masses.sum() * np.mean(offsets)
print(f"{len(beads)} beads, torque {1000 * torque:.1f} mN·m, weight times offset {1000 * expected:.1f} mN·m")
assert np.all(np.hypot(beads.positions[:, 0], beads.positions[:, 2]) < 0.06)
assert abs(torque / expected - 1) < 0.1
