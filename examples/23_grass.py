"""A ball rolls through grass: every blade is a beam that bends under it and stands up again.

Run:  python examples/23_grass.py
See:  the blades slow the ball down.
"""

import huygens as hy

world = hy.World(dt=1e-3, contact=hy.Contact("rigid", max_iterations=3000))
plant = world.add_material(hy.Material.rigid(name="plant", friction=0.2))
world.add_body(hy.Body.fixed(name="floor", shapes=[hy.Shape.half_space(material=plant)]))
ball = world.add_body(
    hy.Body.dynamic(
        name="ball",
        position=(-0.3, 0, 0.121),
        velocity=(2, 0, 0),
        angular_velocity=(0, 16.67, 0),
        density=300,
        shapes=[hy.Shape.sphere(0.12, material=plant, color="#d55e00")],
    )
)
grass = world.add_structure(
    hy.Structure.beam(
        "beam", (0, -0.12, 0.005), (0, -0.12, 0.155), 4,
        name="grass",
        copies={"count": (8, 7, 1), "spacing": (0.08, 0.04, 0)},
        section=hy.Section.circle(0.003),
        material={"young": 1.5e7, "poisson": 0.3, "density": 700},
        damping={"stiffness": 5e-3},
        fixed=[{"nodes": "start"}],
        contact={"material": plant},
        color="#4c9a2a",
    )
)
world.add_probe(ball, "velocity")
world.add_probe(grass, "energy")
world.run(until=0.8)

print(f"ball at {ball.position[0]:.3f} m with {ball.velocity[0]:.3f} m/s; grass holds {grass.energy:.2e} J")
assert ball.velocity[0] < 1.6
assert world.probes()["grass.energy"].max() > 1e-3
