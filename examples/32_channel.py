"""A drop of pressure drives a viscous fluid through a channel between two plates: Poiseuille flow.

Run:  python examples/32_channel.py
See:  how far the speeds are from the parabola of a long channel, and what the plates hold back.
"""

import numpy as np

import huygens as hy

HEIGHT, LENGTH = 0.1, 0.2  # m
PUSH = 0.05  # m/s², the drop of pressure over density
VISCOSITY, DENSITY = 1.0, 1000.0  # Pa·s, kg/m³

world = hy.World(gravity=(0, 0, 0), dt=5e-3)
plates = {
    name: hy.FluidWall.plane((LENGTH, 0.02), name=name, position=(LENGTH / 2, 0, z), axis=(0, 0, up))
    for name, z, up in [("lower", 0, 1), ("upper", HEIGHT, -1)]
}
oil = world.add_fluid(
    hy.Fluid(
        "oil",
        spacing=0.005,
        plane="xz",
        viscosity=VISCOSITY,
        max_speed=0.07,
        periodic={"x": (0, LENGTH)},
        acceleration=(PUSH, 0, 0),
        fills=[hy.Fluid.box((0, 0, 0), (LENGTH, 0, HEIGHT))],
        walls=list(plates.values()),
    )
)
world.run(until=6.0)

# Steady flow: ν u'' = -G between plates at rest.
z, speed = oil.positions[:, 2], oil.velocities[:, 0]
parabola = PUSH * DENSITY / (2 * VISCOSITY) * z * (HEIGHT - z)
error = np.sqrt(np.mean((speed - parabola) ** 2)) / parabola.max()
held = sum(oil.force(name)[0] for name in plates) / (PUSH * DENSITY * HEIGHT * LENGTH)
print(f"{100 * error:.2f} % from the parabola; the plates hold {100 * held:.2f} %")
assert error < 0.01
assert abs(held - 1) < 0.01
