"""Pairs of balls meet head on and part again: each keeps the share of its speed that its material says.

Run:  python examples/19_bouncing_pair.py
See:  the table of the coefficients of restitution, asked for and found.
"""

import math

import huygens as hy

world = hy.World(gravity=(0, 0, 0), dt=2e-4)
laws = {"tangential": "none", "rolling": "none", "spinning": "none", "adhesion": "none"}
pairs = []
for k, restitution in enumerate([0.1, 0.3, 0.5, 0.7, 0.9]):
    name = f"e0{round(10 * restitution)}"
    world.add_material(name=name, young=1e7, poisson=0.25, restitution=restitution)
    pair = world.add_grains(hy.Grains(name, material=name, laws=laws))
    places, speeds = [(-0.02, 0.03 * k, 0), (0.02, 0.03 * k, 0)], [(1, 0, 0), (-1, 0, 0)]
    pair.add(places, velocity=speeds, radius=0.01, density=2500)
    pairs.append((restitution, pair))
before = [pair.kinetic_energy for _, pair in pairs]
world.run(until=0.04)

print("  asked   found")
for (asked, pair), energy in zip(pairs, before):
    found = math.sqrt(pair.kinetic_energy / energy)
    print(f"{asked:7.2f} {found:7.4f}")
    assert abs(found - asked) < 0.005
