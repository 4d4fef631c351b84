"""A ball mill: steel balls tumble in a turning drum and strike the powder between them, eight times smaller.

Run:  python examples/18_ball_mill.py
See:  the mean power that the mill takes: of the weight beside the axis, and of the spin that the charge gains.
"""

import numpy as np

import huygens as hy

SPEED = 6.0  # rad/s

world = hy.World(gravity=(0, 0, -9.81), dt=1e-3)
world.add_material(name="steel", young=5e6, poisson=0.3, friction=0.3, restitution=0.6)
world.add_material(name="powder", young=2e6, poisson=0.25, friction=0.5, restitution=0.3)
turn = {"axis": (0, 1, 0), "angle": hy.Function.polynomial([0, SPEED])}
drum = hy.Wall.cylinder(0.1, 0.05, name="drum", ends="closed", axis=(0, 1, 0), motion=turn)
places = [(-0.05, 0, -0.01), (0, 0, -0.01), (0.05, 0, -0.01), (-0.025, 0, 0.035), (0.025, 0, 0.035), (0, 0, 0.075)]
powder = {
    "region": {"type": "box", "low": (-0.075, -0.025, -0.06), "high": (0.075, 0.025, -0.032)},
    "pattern": {"type": "random", "solid_fraction": 0.5},
    "radius": 2.5e-3,
    "density": 2500,
    "material": "powder",
}
charge = world.add_grains(
    hy.Grains(
        "charge",
        material="steel",
        laws={"rolling": "none", "spinning": "none", "adhesion": "none"},
        walls=[drum],
        particles=[hy.Particles(places, radius=0.02, density=7800, material="steel")],
        fills=[powder],
    )
)


def spin():
    """Angular momentum of the charge about the axis [kg·m²/s]."""
    (x, _, z), (vx, _, vz) = charge.positions.T, charge.velocities.T
    own = 0.4 * charge.radii**2 * charge.angular_velocities[:, 1]
    return np.sum(charge.masses * (z * vx - x * vz + own))


world.run(until=0.3)
start, torques, offsets = spin(), [], []
while world.time < 0.6 - 1e-9:
    world.step()
    torques.append(charge.wall_torque("drum")[1])
    offsets.append(charge.measure("center")[0])
power = -SPEED * np.mean(torques)
lifted, gained = -SPEED * 9.81 * charge.masses.sum() * np.mean(offsets), SPEED * (spin() - start) / 0.3
print(f"{len(charge) - 6} grains and 6 balls, power {power:.2f} W: {lifted:.2f} W of weight, {gained:.2f} W of spin")
assert power > 1 and abs((lifted + gained) / power - 1) < 0.01
