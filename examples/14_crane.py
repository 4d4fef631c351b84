"""A crane trolley with a swinging load, steered by an input signal: the speed of the trolley.

Run:  python examples/14_crane.py
See:  the trolley rolls off at 0.5 m/s and the load swings behind it as linear theory says. The scene file of the same
      name lets you drive: huygens run examples/14_crane.toml --view --interactive
"""

import math

import huygens as hy

START, ROPE, SOFTNESS, LOAD = -2.0, 3.0, 0.4, 200.0

world = hy.World(dt=2e-3)
world.add_body(hy.Body.fixed(name="gantry", position=(0, 0, 4.4), shape=hy.Solid.box((8, 0.3, 0.4))))
trolley = world.add_body(hy.Body.dynamic(name="trolley", position=(START, 0, 4), mass=50, inertia=(4, 4, 4)))
box = hy.Solid.box((0.8, 0.8, 0.8))
load = world.add_body(hy.Body.dynamic(name="load", position=(START, 0, 4 - ROPE), mass=LOAD, shape=box))
rail = world.add_joint(hy.Joint.prismatic("ground", trolley, name="rail", position=(START, 0, 4), axis=(1, 0, 0)))
world.add_joint(hy.Joint.spherical(trolley, load, name="hook", position=(START, 0, 4)))
keys = ("ArrowLeft", "ArrowRight")
speed = world.add_signal(hy.Signal.input("speed", 0.5, lower=-1.5, upper=1.5, keys=keys))
drive = world.add_signal(hy.Signal.filter("drive", speed, SOFTNESS))
world.add_motor(hy.Motor.speed(rail, drive.drive, name="travel"))

# A compound pendulum on a point that speeds up as the filter lets it: u'' + w² u = -k a(t).
k = LOAD * ROPE**2 / (LOAD * ROPE**2 + LOAD * 0.8**2 / 6)
w = math.sqrt(9.81 * k / ROPE)


def swing(t: float) -> float:
    """Return how far the load is ahead of the trolley [m]."""
    size = k * speed.value * SOFTNESS / (1 + (w * SOFTNESS) ** 2)
    return size * (math.cos(w * t) - math.sin(w * t) / (w * SOFTNESS) - math.exp(-t / SOFTNESS))


worst = 0.0


def compare(world: hy.World) -> None:
    """Keep the largest distance from linear theory."""
    global worst
    worst = max(worst, abs(load.position[0] - trolley.position[0] - swing(world.time)))


world.run(until=8.0, callback=compare, every=0.05)
print(f"the trolley rolls at {rail.rate():.4f} m/s; the swing is linear theory's within {1e3 * worst:.2f} mm")
assert abs(rail.rate() - 0.5) < 1e-6
assert worst < 3e-3
