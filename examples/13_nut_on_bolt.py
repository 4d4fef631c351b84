"""A nut turns down a bolt under its own weight: two triangle meshes in contact.

Run:  python examples/13_nut_on_bolt.py
See:  the nut sinks by one pitch of 8 mm for each turn; the thread is steep and oiled, so that it does not lock.
"""

import math
from pathlib import Path

import numpy as np

import huygens as hy

PITCH = 0.008
ASSETS = Path(__file__).parent / "assets"  # in millimetres, made by make_thread.py

contact = hy.Contact("rigid", envelope=2e-4, on_failure="accept")
world = hy.World(gravity=(0, 0, -9.81), dt=1e-3, contact=contact)
oiled = world.add_material(hy.Material.rigid(name="oiled", friction=0.01))
bolt = hy.Shape.mesh(ASSETS / "bolt.obj", scale=1e-3)
world.add_body(hy.Body.fixed(name="bolt"), shape=bolt, material=oiled)
nut = world.add_body(
    hy.Body.dynamic(name="nut", position=(0, 0, 0.032), density=7800),
    shape=hy.Shape.mesh(ASSETS / "nut.obj", scale=1e-3),
    material=oiled,
)
world.add_probe(nut, "angular_velocity.z")
start = nut.position[2]
world.run(until=0.3)

probes = world.probes()
speed, times = probes["nut.angular_velocity.z"], probes["time"]
turns = float(np.sum((speed[1:] + speed[:-1]) / 2 * np.diff(times))) / (2 * math.pi)
sunk = start - nut.position[2]
print(f"the nut turned {turns:.3f} times and sank {1e3 * sunk:.3f} mm, with {len(world.contacts())} contacts")
assert abs(turns) > 0.2
assert abs(sunk - PITCH * abs(turns)) < 1e-3
