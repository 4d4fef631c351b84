"""A lid slides over grains in a box without ends and shears them; they are fast above and slow below.

Run:  python examples/20_shear.py
See:  the profile of the speed, and the share of the load on the floor that it drags along.
"""

import numpy as np

import huygens as hy

SPEED = 0.5  # m/s

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
world.add_material(name="default", young=5e6, poisson=0.25, friction=0.8, restitution=0.3, rolling_friction=5e-4)
# The lid goes with the carriage, and up and down as the grains let it.
slide = {"translation": [hy.Function.polynomial([0, SPEED]), 0, 0]}
world.add_body(name="carriage", kind="kinematic", position=(0, 0, 0.06), motion=slide)
world.add_body(name="lid", position=(0, 0, 0.022), mass=0.2, inertia=(1e-4, 1e-4, 1e-4))
world.add_joint(hy.Joint.prismatic("carriage", "lid", name="guide", position=(0, 0, 0.022), axis=(0, 0, 1)))
fill = {
    "region": {"type": "box", "low": (-0.02, -0.012, 0), "high": (0.02, 0.012, 0.022)},
    "pattern": {"type": "random", "solid_fraction": 0.55},
    "sizes": {"type": "uniform", "least": 1.5e-3, "most": 1.8e-3},
    "density": 2500,
}
grains = world.add_grains(
    hy.Grains(
        "grains",
        laws={"spinning": "none", "adhesion": "none"},
        periodic={"x": (-0.02, 0.02), "y": (-0.012, 0.012)},
        walls=[
            hy.Wall.plane(name="floor"),
            hy.Wall.plane(name="lid", body="lid", axis=(0, 0, -1), visible=False),
        ],
        fills=[fill],
    )
)

world.run(until=0.4)
layers, forces = [], []
while world.time < 0.7 - 1e-9:
    world.run(until=world.time + 0.01)
    layers.append(grains.measure_velocity_profile((0, 0, 1), (0, 0.021), 6)["velocity"][:, 0])
    forces.append(grains.wall_force("floor"))
profile = np.mean(layers, axis=0)
for k, speed in enumerate(profile):
    print(f"z = {3.5 * k + 1.75:5.2f} mm  {1000 * speed:6.1f} mm/s")
dragged = np.mean(forces, axis=0)
print(f"friction on the floor {dragged[0] / -dragged[2]:.2f} of the load")
assert np.all(np.diff(profile) > 0) and profile[-1] < SPEED
