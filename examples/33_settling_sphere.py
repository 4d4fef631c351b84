"""A ball sinks in a tank of thick oil, and soon as fast as the drag of the oil allows.

Run:  python examples/33_settling_sphere.py
See:  its speed, about half of what Stokes' law gives in a wide tank, since the walls are near.
"""

import math

import huygens as hy

RADIUS, WIDTH, HEIGHT = 0.0075, 0.05, 0.08  # m
OIL, BALL, VISCOSITY = 970.0, 1120.0, 0.6  # kg/m³, kg/m³, Pa·s
GRAVITY = 9.81

world = hy.World(dt=6e-4)
ball = world.add_body(
    hy.Body.dynamic(name="ball", position=(0, 0, 0.05), density=BALL, shape=hy.Solid.sphere(RADIUS))
)
# The pressure of rest is left out: the oil has no weight, and the buoyancy of the ball is a load.
buoyancy = OIL * GRAVITY * 4 / 3 * math.pi * RADIUS**3
world.add_force(hy.Force.load(ball, name="buoyancy", force=(0, 0, buoyancy)))
low, high = (-WIDTH / 2, -WIDTH / 2, 0), (WIDTH / 2, WIDTH / 2, HEIGHT)
world.add_fluid(
    hy.Fluid(
        "oil",
        spacing=0.0025,
        density=OIL,
        viscosity=VISCOSITY,
        sound_speed=1,
        smoothing=1.1,
        diffusion=0,
        shifting={"strength": 2, "free_surface": False},
        acceleration=(0, 0, GRAVITY),
        bodies=[ball],
        fills=[hy.Fluid.box(low, high, hydrostatic=False)],
        walls=[hy.FluidWall.tank(low, high, open=(), name="tank")],
    )
)
world.run(until=0.3)


def slowed(width: float) -> float:
    """Return the share of Stokes' speed that is left in a tube of some width [m] (haberman1958)."""
    x = 2 * RADIUS / width
    return (1 - 2.105 * x + 2.0865 * x**3 - 1.7068 * x**5 + 0.72603 * x**6) / (1 - 0.75857 * x**5)


stokes = 2 / 9 * (BALL - OIL) * GRAVITY * RADIUS**2 / VISCOSITY
speed = -ball.velocity[2]
# More room means less drag: the tank is between the tube that fits into it and the one around it.
slowest, fastest = stokes * slowed(WIDTH), stokes * slowed(math.sqrt(2) * WIDTH)
print(f"the ball sinks at {1000 * speed:.2f} mm/s; {1000 * slowest:.2f} to {1000 * fastest:.2f} mm/s are right")
assert slowest < speed < fastest
