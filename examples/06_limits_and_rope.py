"""Things that touch their bounds: a door that bounces between its stops, and a weight that falls into its rope.

Run:  python examples/06_limits_and_rope.py
See:  the door never opens beyond 60°; the weight falls freely until the rope is taut, and is then caught by it.
"""

import math

import numpy as np

import huygens as hy

# Rigid stops and ropes are one-sided: the integrators that step velocities treat them exactly.
world = hy.World(dt=1e-3, integrator=hy.Integrator.euler_projected())
door = world.add_body(
    hy.Body.dynamic(
        name="door",
        position=(0.4, 0, 0),
        velocity=(0, 1.2, 0),
        angular_velocity=(0, 0, 3),
        mass=12,
        shape=hy.Solid.box((0.8, 0.04, 2.0)),
    )
)
stops = hy.Limit(lower_deg=-10, upper_deg=60, restitution=0.5)
hinge = world.add_joint(
    hy.Joint.revolute("ground", door, name="hinge", position=(0, 0, 0), axis=(0, 0, 1), limits=[stops])
)
weight = world.add_body(hy.Body.dynamic(name="weight", position=(2, 0, 0), mass=1, shape=hy.Solid.sphere(0.1)))
world.add_force(hy.Force.rope("ground", weight, name="rope", point_a=(2, 0, 0), length=1.0))
world.add_probe(hinge, "angle")
world.add_probe(weight, "position.z")
world.add_probe("world", "energy")
world.run(until=3.0)

probes = world.probes()
angle, height = np.degrees(probes["hinge.angle"]), probes["weight.position.z"]
falling = probes["time"] < math.sqrt(2 / 9.81)
print(f"door between {angle.min():.2f}° and {angle.max():.2f}°, weight down to {height.min():.4f} m")
assert -10.2 < angle.min() < 0 < angle.max() < 60.2
assert np.allclose(height[falling], -9.81 / 2 * probes["time"][falling] ** 2, atol=5e-3)
assert math.isclose(weight.position[2], -1.0, abs_tol=1e-3)
