"""A net of cables catches a ball.

Run:  python examples/22_net.py
See:  the ball is caught and thrown up again.
"""

import huygens as hy

world = hy.World(dt=1e-3)
rubber = world.add_material(hy.Material.rigid(name="rubber", friction=0.6))
ball = world.add_body(
    hy.Body.dynamic(
        name="ball",
        position=(0.03, 0.02, 0.5),
        density=800,
        shapes=[hy.Shape.sphere(0.15, material=rubber, color="#d55e00")],
    )
)
net = world.add_structure(
    hy.Structure.net(
        "cable", [(1.6, 0, 0), (0, 1.6, 0)], (10, 10),
        origin=(-0.8, -0.8, 0),
        name="net",
        section=hy.Section.circle(0.006),
        material={"young": 5e6, "poisson": 0.4, "density": 1000},
        damping={"stiffness": 2e-3},
        fixed=[{"nodes": "border", "hold": ["position"]}],
        contact={"material": rubber},
        color="#2f6f4f",
    )
)
world.add_probe(ball, "position")
world.add_probe(ball, "contact_force")
world.add_probe(net, "axial_force", element=1)
world.run(until=1.2)

height = world.probes()["ball.position.z"]
print(f"lowest at {height.min():.3f} m, at the end {ball.position[2]:.3f} m")
assert height.min() < -0.1
assert height.min() > -1.0
