"""What a program in Python can add of its own: a force law, a controller, a contact coefficient, a quantity.

Run:  python examples/extending/extending.py
See:  each follows its closed form.
"""

import math

import numpy as np

import huygens as hy

# ANCHOR: force_law
# A spring whose force is the cube of its stretch: after a quarter period it is as long as at rest.
world = hy.World(gravity=(0, 0, 0), dt=1e-3)
bob = world.add_body(hy.Body.dynamic(position=(1.4, 0, 0), mass=2, inertia=(0.1, 0.1, 0.1)))
world.add_force(hy.Force.spring("ground", bob, law=lambda time, length, rate: -500 * (length - 1) ** 3))
# ANCHOR_END: force_law
world.run(until=math.sqrt(2 * 2 / 500) / 0.4 * 1.31102877714606)
print(f"stretch after a quarter period: {bob.position[0] - 1:.1e} m")
assert abs(bob.position[0] - 1) < 1e-4

# ANCHOR: controller
# A motor that answers late; the gains place the poles of the loop at -1, -2 and -3.
world = hy.World(dt=1e-3)
shaft = world.add_shaft(hy.Shaft(1.0, name="shaft", angle=1.0))
angle = world.add_signal(hy.Signal.sensor("angle", shaft, "angle"))
speed = world.add_signal(hy.Signal.sensor("speed", shaft, "speed"))
torque = world.add_ode("torque", [angle, speed], [0.0], lambda t, u, z: 6 * (-u[0] - 11 / 6 * u[1] - z))
world.add_motor(hy.Motor.torque(shaft=shaft, drive=torque.drive))
# ANCHOR_END: controller
world.run(until=1.0)
exact = 3 * math.exp(-1) - 3 * math.exp(-2) + math.exp(-3)
print(f"angle after 1 s: {shaft.angle:.8f}, exactly {exact:.8f}")
assert abs(shaft.angle - exact) < 1e-5

# ANCHOR: contact
# Friction that fades along the way, μ = 0.2 (1 - x): changed at every contact.
world = hy.World(dt=1e-3)
world.add_body(hy.Body.fixed(name="floor"), shape=hy.Shape.half_space())
block = world.add_body(
    hy.Body.dynamic(position=(0, 0, 0.01), velocity=(1, 0, 0), mass=1), shape=hy.Shape.box((0.4, 0.4, 0.02))
)


def fading(contact, composite):
    composite.friction = 0.2 * (1 - contact.point[0])


world.set_contact_callback(modify=fading)
# ANCHOR_END: contact
# ANCHOR: probe
# The work of friction, a quantity of our own: gathered by a callback after every step.
places, energies = [], []


def look(world):
    places.append(block.position[0])
    energies.append(0.5 * np.dot(block.velocity, block.velocity))


world.run(until=0.4, callback=look)
# ANCHOR_END: probe
# So flat a block loads its corners evenly: v²/2 falls by 0.2 g (x - x²/2).
x = np.array(places)
exact = 0.5 - 0.2 * 9.81 * (x - x**2 / 2)
print(f"energy off by at most {np.abs(energies - exact).max():.1e} J after {x[-1]:.2f} m")
assert np.abs(energies - exact).max() < 1e-3
