"""A soft cable swings with a ball at its end.

Run:  python examples/21_cable_pendulum.py
See:  the sum of all energies stays while the cable stretches and bends.
"""

import numpy as np

import huygens as hy

world = hy.World(dt=1e-3, integrator=hy.Integrator.generalized_alpha(rho=0.9))
ball = world.add_body(hy.Body.dynamic(name="ball", position=(1, 0, 0), density=2000, shape=hy.Solid.sphere(0.05)))
cable = world.add_structure(
    hy.Structure.beam(
        "cable", (0, 0, 0), (1, 0, 0), 16,
        name="cable",
        section=hy.Section.circle(0.01),
        material={"young": 2e6, "poisson": 0.4, "density": 1100},
        fixed=[{"nodes": "start", "hold": ["position"]}],
        color="#009e73",
    )
)
world.add_joint(hy.Joint.spherical(cable["end"], ball, name="hook"))
world.add_probe(cable["end"], "position")
world.add_probe(cable, "axial_force", element=1)
world.add_probe(cable, "energy")
world.add_probe("world", "energy")
world.run(until=1.5)

probes = world.probes()
print(f"ball at {ball.position}, largest pull {probes['cable:1.axial_force'].max():.1f} N")
np.testing.assert_allclose(cable["end"].position, ball.position, atol=1e-8)
assert np.ptp(probes["world.energy"]) < 0.02 * 9.81
