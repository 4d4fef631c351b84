"""The benchmark cases, their reference motions, and the one JSON line every peer prints.

All quantities are SI. The reference positions were computed by an exact reduction to minimal
coordinates integrated with DOP853 (rtol 1e-12 or tighter) and agree between two independent codes
(closed-form Lagrangian and articulated-body algorithm for the chain) to nine digits.
"""

import argparse
import json
import math
import os
import time

# One thread for every numerical library, decided before any of them is imported.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import contact_cases  # noqa: E402

TIME_STEP = 1e-3

LINK_LENGTH = 0.1
LINK_WIDTH = 0.02
LINK_MASS = 0.1
LINK_INERTIA_AXIAL = LINK_MASS * 2 * LINK_WIDTH**2 / 12
LINK_INERTIA_TRANSVERSE = LINK_MASS * (LINK_LENGTH**2 + LINK_WIDTH**2) / 12

CHAIN_SIZES = (32, 128, 512)
CHAIN_STEPS = 2000
CHAIN_GRAVITY = {"planar": (0.0, 0.0, -9.81), "alt3d": (0.0, 3.0, -9.81)}

# Cable pendulum: absolute nodal coordinates, pinned at one end, released from rest along x.
CABLE_LENGTH = 1.0
CABLE_DENSITY = 0.1
CABLE_BENDING = 8.33333e-3
CABLE_STRETCH = {"A": 1e3, "B": 1e5}

LOOP_STEPS = 5000
LOOP_GRAVITY = (0.0, -9.81, 0.0)

# Slider-crank: uniform slender crank and rod, point-like slider on the x axis.
CRANK_LENGTH, CRANK_MASS = 0.2, 1.0
ROD_LENGTH, ROD_MASS = 0.5, 2.0
SLIDER_MASS = 3.0
SLIDER_CRANK_ANGLE, SLIDER_CRANK_SPEED = math.radians(45.0), 10.0

# Four-bar: ground pivots O = (0, 0) and D, uniform slender bars, open branch.
FOUR_BAR_D = (0.9, 0.0)
FOUR_BAR_LENGTHS = (0.3, 0.8, 0.6)
FOUR_BAR_MASSES = (0.3, 0.8, 0.6)
FOUR_BAR_ANGLE, FOUR_BAR_SPEED = math.radians(90.0), 8.0
FOUR_BAR_B = (0.7491295773, 0.5807220613)

# Bars of the closed loops get this thickness about their own axis: any value gives the same plane motion.
BAR_AXIAL_INERTIA = 1e-4

# Tracked point by case, variant and time [s] -> position [m]. The chain's table is for 32 links.
REFERENCE = {
    ("pendulum_chain", "planar"): {
        1: (-1.710218419, 0.0, -2.284372710),
        2: (-2.759792219, 0.0, -0.776988041),
    },
    ("pendulum_chain", "alt3d"): {
        1: (-1.858216570, 0.588373212, -2.155253071),
        2: (-2.653926414, 0.172707767, -0.741288319),
    },
    # A line of 128 elements in steps of 5e-5 s.
    ("ancf_cable", "A"): {1: (-0.928359, 0.100015, 0.0), 2: (0.628932, -0.472996, 0.0)},
    ("ancf_cable", "B"): {1: (-0.924875, 0.102549, 0.0), 2: (0.629019, -0.476157, 0.0)},
    # The slider.
    ("slider_crank", ""): {
        1: (0.5078157446, 0.0, 0.0),
        2: (0.3996426313, 0.0, 0.0),
        5: (0.4878180493, 0.0, 0.0),
    },
    # Joint B between coupler and rocker.
    ("four_bar", ""): {
        1: (0.8561074953, 0.5983923863, 0.0),
        2: (0.9219600329, 0.5995979961, 0.0),
        5: (0.4873259198, 0.4355457537, 0.0),
    },
}


def link_axis(variant, index):
    """Hinge axis of link `index` in the straight starting pose."""
    return (0.0, 0.0, 1.0) if variant == "alt3d" and index % 2 == 1 else (0.0, 1.0, 0.0)


def slider_crank_start():
    """Consistent start: crank pin A, slider x, rod angle and the three angular/linear speeds."""
    theta, omega = SLIDER_CRANK_ANGLE, SLIDER_CRANK_SPEED
    pin = (CRANK_LENGTH * math.cos(theta), CRANK_LENGTH * math.sin(theta))
    rod_angle = -math.asin(pin[1] / ROD_LENGTH)
    rod_speed = -omega * pin[0] / (ROD_LENGTH * math.cos(rod_angle))
    slider_x = pin[0] + ROD_LENGTH * math.cos(rod_angle)
    slider_v = -omega * pin[1] - rod_speed * ROD_LENGTH * math.sin(rod_angle)
    return {
        "pin": pin,
        "rod_angle": rod_angle,
        "rod_speed": rod_speed,
        "slider_x": slider_x,
        "slider_v": slider_v,
    }


def four_bar_start():
    """Consistent start: joints A and B, bar angles, and bar angular speeds."""
    a, b, c = FOUR_BAR_LENGTHS
    theta, omega = FOUR_BAR_ANGLE, FOUR_BAR_SPEED
    joint_a = (a * math.cos(theta), a * math.sin(theta))
    joint_b = FOUR_BAR_B
    coupler = math.atan2(joint_b[1] - joint_a[1], joint_b[0] - joint_a[0])
    rocker = math.atan2(joint_b[1] - FOUR_BAR_D[1], joint_b[0] - FOUR_BAR_D[0])
    # v_A + w_b x AB = w_c x DB, two equations in w_b and w_c.
    coupler_speed = omega * a * math.sin(rocker - theta) / (b * math.sin(coupler - rocker))
    rocker_speed = omega * a * math.sin(coupler - theta) / (c * math.sin(coupler - rocker))
    return {
        "joint_a": joint_a,
        "angles": (theta, coupler, rocker),
        "speeds": (omega, coupler_speed, rocker_speed),
    }


class Clock:
    """Wall and CPU seconds of a `with` block."""

    def __enter__(self):
        self.wall_s = time.perf_counter()
        self.cpu_s = time.process_time()
        return self

    def __exit__(self, *_):
        self.cpu_s = time.process_time() - self.cpu_s
        self.wall_s = time.perf_counter() - self.wall_s


def position_errors(case, variant, size, samples):
    """Distances to the reference [m] at 1, 2 and 5 s; None where no reference exists."""
    known = REFERENCE.get((case, variant), {})
    if case == "pendulum_chain" and size != 32:
        known = {}
    errors = {}
    for second in (1, 2, 5):
        has_both = second in known and second in samples
        errors[f"tip_error_{second}s"] = math.dist(known[second], samples[second]) if has_both else None
    return errors


def report(case, variant, size, tool, version, method, steps, runs, samples, settings=""):
    """Print the JSON line of the fastest of `runs`, a list of `Clock`s; `settings` says what was tuned."""
    best = min(runs, key=lambda clock: clock.cpu_s)
    line = {
        "case": case,
        "variant": variant,
        "size": size,
        "tool": tool,
        "version": version,
        "method": method,
        "settings": settings,
        "threads": 1,
        "steps": steps,
        "wall_s": best.wall_s,
        "cpu_s": best.cpu_s,
        "ms_per_step": 1e3 * best.cpu_s / steps,
        **position_errors(case, variant, size, samples),
    }
    print(json.dumps(line), flush=True)


def arguments(methods, contact_methods=None):
    """Command line shared by the peers: `methods` for the mechanisms, and those of each contact case run."""
    contact = contact_methods or {}
    all_methods = [*methods, *(method for several in contact.values() for method in several)]
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["pendulum_chain", "slider_crank", "four_bar", "ancf_cable", *contact])
    parser.add_argument(
        "--variant", choices=["planar", "alt3d", "static", "hit", "A", "B"], help="of the case"
    )
    parser.add_argument("--size", type=int, help="links, elements or spheres")
    parser.add_argument("--method", choices=all_methods, help="the first that suits the case, if not given")
    parser.add_argument("--steps", type=int, help="timed steps, if not those of the case")
    parser.add_argument("--settle-steps", type=int, help="untimed steps before, if not those of the case")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the fastest counts")
    chosen = parser.parse_args()

    variants = {"pendulum_chain": ["planar", "alt3d"], "brick_wall": ["static", "hit"], "ancf_cable": ["A", "B"]}.get(chosen.case, [""])
    for name, allowed in (("variant", variants), ("method", contact.get(chosen.case, methods))):
        value = getattr(chosen, name) or allowed[0]
        if value not in allowed:
            parser.error(f"{chosen.case} has no {name} {value}")
        setattr(chosen, name, value)
    defaults = {"pendulum_chain": (32, CHAIN_STEPS, 0), "ancf_cable": (32, CHAIN_STEPS, 0), **contact_cases.DEFAULTS}
    size, steps, settle_steps = defaults.get(chosen.case, (3, LOOP_STEPS, 0))
    if chosen.size is None or chosen.case not in ("pendulum_chain", "sphere_settle", "ancf_cable"):
        chosen.size = size
    chosen.steps = chosen.steps or steps
    if chosen.settle_steps is None:
        chosen.settle_steps = settle_steps
    return chosen
