"""Ten thousand balls, boxes and capsules fall into a bin.

Run:  python examples/10_pile.py         the first quarter of a second
      python examples/10_pile.py 1.0     until that time [s]
See:  the lower bodies lie on the floor while the rest still falls; from 0.9 s on it carries about 50 kN, the weight.
"""

import sys

import numpy as np

import huygens as hy

until = float(sys.argv[1]) if len(sys.argv) > 1 else 0.25

world = hy.World(
    gravity=(0, 0, -9.81),
    dt=2.5e-3,
    contact=hy.Contact("rigid", solver="psor", max_iterations=30, on_failure="accept"),
    bounds=((-3, -3, -1), (3, 3, 12)),
    threads=0,
)
world.add_material(hy.Material.rigid(name="default", friction=0.4))
floor = world.add_body(hy.Body.fixed(name="floor"), shape=hy.Shape.half_space())
along_y, along_x = (0.2, 4.4, 12), (4.4, 0.2, 12)
walls = [(along_y, (-2.1, 0, 6)), (along_y, (2.1, 0, 6)), (along_x, (0, -2.1, 6)), (along_x, (0, 2.1, 6))]
walls = [hy.Shape.box(size, position=position, visible=False) for size, position in walls]
world.add_body(hy.Body.fixed(name="walls"), shapes=walls)


def layer(low: float, high: float) -> list[tuple[float, float, float]]:
    """Return the bin between two heights [m]."""
    return [(-2, -2, low), (2, 2, high)]


apart = (0.2, 0.2, 0.2)
ball, box, capsule = hy.Shape.sphere(0.09), hy.Shape.box((0.15, 0.12, 0.09)), hy.Shape.capsule(0.04, 0.08)
world.add_fill(hy.Fill(ball, 250, name="ball", region=layer(0.05, 1.85), jitter=0.005, spacing=apart))
world.add_fill(hy.Fill(box, 250, name="box", region=layer(1.85, 3.65), jitter=0.02, spacing=apart, seed=1))
turned = hy.Fill(capsule, 500, name="capsule", region=layer(3.65, 5.05), jitter=0.015, spacing=apart, seed=2)
world.add_fill(turned, random_rotation=True)
world.run(until=until)

contacts, places = world.contacts(), world.positions[2:]
lift = floor.contact_force[2]
print(f"{len(places)} bodies, {len(contacts)} contacts, {-lift / 1e3:.2f} kN on the floor")
assert len(contacts) > 1000
assert lift < 0
assert until < 0.9 or abs(-lift - 50.5e3) < 0.1 * 50.5e3
assert np.abs(places[:, :2]).max() < 2.0
assert places[:, 2].min() > 0.0
