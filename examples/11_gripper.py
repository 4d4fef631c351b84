"""A gripper with two jaws closes on a box and lifts it: joints, motors and contact in one solve.

Run:  python examples/11_gripper.py
See:  the box leaves the floor with the carriage at t = 1 s, and hangs between the jaws by friction alone: together
      they carry its weight of 39 N.
"""

import math

import numpy as np

import huygens as hy

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
rubber = world.add_material(hy.Material.rigid(name="rubber", friction=0.8))
world.add_body(hy.Body.fixed(name="floor"), shape=hy.Shape.half_space())
box = world.add_body(
    hy.Body.dynamic(name="box", position=(0.01, 0, 0.1), density=500),
    shape=hy.Shape.box((0.2, 0.2, 0.2)),
    material=rubber,
)
carriage = hy.Body.dynamic(name="carriage", position=(0, 0, 0.45), mass=5)
carriage = world.add_body(carriage, shape=hy.Shape.box((0.6, 0.1, 0.06)))
lift = world.add_joint(hy.Joint.prismatic("ground", carriage, name="lift", position=(0, 0, 0.45), axis=(0, 0, 1)))
jaws = [
    world.add_body(
        hy.Body.dynamic(name=name, position=(x, 0, 0.25), mass=1),
        shape=hy.Shape.box((0.04, 0.12, 0.34)),
        material=rubber,
    )
    for name, x in (("left", -0.2), ("right", 0.2))
]
left, right = (
    world.add_joint(
        hy.Joint.prismatic(carriage, jaw, name=f"{jaw.name}_slide", position=(x, 0, 0.45), axis=(-x / 0.2, 0, 0))
    )
    for jaw, x in zip(jaws, (-0.2, 0.2), strict=True)
)
world.add_motor(hy.Motor.position(lift, hy.Function.step_poly345(1.0, 1.0, to=0.4), name="hoist"))
world.add_motor(hy.Motor.force(left, hy.Function.step_poly345(0.1, 0.3, to=120), name="grip"))
# A rack and pinion between the jaws: both close by the same way.
world.add_coupling(hy.Coupling.linear([{"joint": left, "weight": 1}, {"joint": right, "weight": -1}], name="jaws"))
world.run(until=3.0)

weight = 500 * 0.2**3 * 9.81
forces = [world.contact_force(box, jaw) for jaw in jaws]
print(f"box at {box.position}, jaws lift {forces[0][2]:.2f} N and {forces[1][2]:.2f} N, {weight:.2f} N in all")
assert math.isclose(box.position[2], 0.5, abs_tol=2e-3)
assert all(math.isclose(abs(force[0]), 60.0, rel_tol=0.01) for force in forces)
assert np.allclose(sum(forces), (0, 0, weight), atol=0.01 * weight)
