"""Three balls of different restitution are dropped on a floor.

Run:  python examples/07_dropped_ball.py
See:  the ball of clay stays where it falls, that of rubber comes back to 0.8² of its height, that of steel bounces
      longest.
"""

import math

import numpy as np

import huygens as hy

HEIGHT, RADIUS = 1.0, 0.1
BALLS = (("clay", 0.0, 1800, -0.5), ("rubber", 0.8, 1100, 0.0), ("steel", 0.95, 7800, 0.5))

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
# Where two materials meet, the lesser restitution counts: the floor takes nothing.
ground = world.add_material(hy.Material.rigid(name="floor", restitution=1.0, friction=0.5))
world.add_body(hy.Body.fixed(name="floor"), shape=hy.Shape.half_space(), material=ground)
for name, restitution, density, x in BALLS:
    surface = world.add_material(hy.Material.rigid(name=name, restitution=restitution))
    ball = hy.Body.dynamic(name=name, position=(x, 0, HEIGHT + RADIUS), density=density)
    world.add_probe(world.add_body(ball, shape=hy.Shape.sphere(RADIUS), material=surface), "position.z")
world.run(until=3.0)

probes = world.probes()
fall = math.sqrt(2 * HEIGHT / 9.81)
for name, restitution, _, _ in BALLS:
    height = probes[f"{name}.position.z"] - RADIUS
    # The first rebound takes twice the restitution times the time of the fall.
    rebound = (probes["time"] > fall + 0.02) & (probes["time"] < fall * (1 + 2 * restitution) + 0.02)
    top = np.max(height[rebound], initial=0.0)
    print(f"{name} comes back to {top:.4f} m")
    assert abs(top - restitution**2 * HEIGHT) < 0.01
    assert height.min() > -1e-3
