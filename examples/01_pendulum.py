"""A pendulum that starts horizontally and swings through 180°.

Run:  python examples/01_pendulum.py
See:  the bob is back at its start after one period, which the complete elliptic integral gives in closed form.
"""

import math

import numpy as np

import huygens as hy

LENGTH, RADIUS, GRAVITY = 1.0, 0.05, 9.81

world = hy.World(gravity=(0, 0, -GRAVITY), dt=1e-3)
bob = world.add_body(hy.Body.dynamic(name="bob", position=(LENGTH, 0, 0), mass=1.0, shape=hy.Solid.sphere(RADIUS)))
pivot = world.add_joint(hy.Joint.revolute("ground", bob, name="pivot", position=(0, 0, 0), axis=(0, -1, 0)))
world.add_probe(bob, "position")
world.add_probe(pivot, "angle")
world.add_probe(pivot, "reaction_force", axes="world")
world.add_probe("world", "energy")


def elliptic_integral(k: float) -> float:
    """Return K(k) by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - k * k)
    while a - b > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


gyration = LENGTH**2 + 0.4 * RADIUS**2
period = 4 * elliptic_integral(math.sin(math.pi / 4)) * math.sqrt(gyration / (GRAVITY * LENGTH))
world.run(until=period)

energy = world.probes()["world.energy"]
print(f"period {period:.4f} s, bob at {bob.position}, energy within {np.ptp(energy):.1e} J")
assert np.allclose(bob.position, (LENGTH, 0, 0), atol=1e-4)
assert np.ptp(energy) < 1e-3 * GRAVITY * LENGTH
