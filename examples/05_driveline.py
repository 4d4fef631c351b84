"""A driveline: an engine shaft takes a load along through a clutch and a gear, and at the end a brake stops it.

Run:  python examples/05_driveline.py
See:  the clutch slips until the shafts run together at the speed that the angular momentum gives; the drum turns at
      a third of it, and the brake stops everything.
"""

import numpy as np

import huygens as hy

world = hy.World(dt=1e-3)
engine = world.add_shaft(hy.Shaft(0.2, name="engine", speed=100.0))
input_shaft = world.add_shaft(hy.Shaft(0.02, name="input"))
output = world.add_shaft(hy.Shaft(0.1, name="output"))
drum = world.add_body(hy.Body.dynamic(name="drum", position=(0, 0, 0.5), mass=20, shape=hy.Solid.cylinder(0.3, 0.2)))
bearing = world.add_joint(hy.Joint.revolute("ground", drum, name="bearing", position=(0, 0, 0.5), axis=(0, 0, 1)))
world.add_coupling(hy.Coupling.shaft_gear(input_shaft, output, ratio=3, name="gear"))
world.add_coupling(hy.Coupling.shaft_joint(output, bearing, name="hub"))
engaging = hy.Function.step_poly345(start=0.5, duration=0.3, to=30)
clutch = world.add_force(hy.Force.clutch(engine, input_shaft, torque=engaging, damping=20, name="clutch"))
braking = hy.Function.step_poly345(start=2.5, duration=0.2, to=80)
world.add_force(hy.Force.brake(bearing, torque=braking, damping=100, name="brake"))
world.add_probe(engine, "speed")
world.add_probe(input_shaft, "speed")
world.add_probe(bearing, "angle_rate")
world.add_probe(clutch, "torque")
world.run(until=2.5)

load = 0.02 + (0.1 + 0.5 * 20 * 0.3**2) / 3**2
together = 100.0 * 0.2 / (0.2 + load)
print(f"engine {engine.speed:.2f} rad/s, drum {bearing.rate():.2f} rad/s, expected {together:.2f} and a third of it")
assert abs(engine.speed - together) < 0.01 * together
assert abs(3 * bearing.rate() - input_shaft.speed) < 1e-6

world.run(until=4.0)
torque = np.abs(world.probes()["clutch.torque"])
print(f"after braking: {bearing.rate():.4f} rad/s; largest clutch torque {torque.max():.1f} N·m")
assert abs(bearing.rate()) < 1e-3
