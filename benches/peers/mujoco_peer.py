"""Runs a benchmark case in MuJoCo and prints one JSON line.

Mechanisms are in minimal coordinates, stepped by RK4; closed loops are cut at one joint and closed by a
`connect` equality constraint, made as stiff as the time step allows. The contact cases are in
`mujoco_contact.py`.
"""

import math

import cases
import mujoco_contact

import mujoco

METHODS = ["rk4"]


def compiler_options(gravity):
    """Head of the model: RK4, no contact, no clamps."""
    return (
        f'<option timestep="{cases.TIME_STEP}" integrator="RK4" gravity="{numbers(gravity)}" '
        'solver="Newton" iterations="50" tolerance="1e-14">'
        '<flag contact="disable" warmstart="enable"/></option>'
        '<compiler angle="radian" balanceinertia="false" inertiafromgeom="false"/>'
    )


def numbers(values):
    """Values as MJCF writes them, without loss."""
    return " ".join(repr(float(value)) for value in values)


def chain_model(variant, size):
    """The pendulum chain; every link's frame sits at its hinge."""
    spec = mujoco.MjSpec.from_string(f"<mujoco>{compiler_options(cases.CHAIN_GRAVITY[variant])}</mujoco>")
    parent = spec.worldbody
    for index in range(size):
        parent = parent.add_body(
            pos=[0.0 if index == 0 else cases.LINK_LENGTH, 0, 0],
            mass=cases.LINK_MASS,
            ipos=[cases.LINK_LENGTH / 2, 0, 0],
            inertia=[cases.LINK_INERTIA_AXIAL, cases.LINK_INERTIA_TRANSVERSE, cases.LINK_INERTIA_TRANSVERSE],
            explicitinertial=True,
        )
        parent.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(cases.link_axis(variant, index)))
    parent.add_site(name="tip", pos=[cases.LINK_LENGTH, 0, 0])
    return spec.compile(), []


def bar(name, length, mass, inner=""):
    """A slender bar along x hinged at its frame."""
    transverse = mass * length**2 / 12
    inertia = (cases.BAR_AXIAL_INERTIA, transverse, transverse)
    return (
        f'<joint name="{name}" type="hinge" axis="0 0 1"/>'
        f'<inertial pos="{length / 2} 0 0" mass="{mass}" diaginertia="{numbers(inertia)}"/>{inner}'
    )


def rod_end_site(length):
    """The point at the far end of a bar that closes the loop."""
    return f'<site name="end" pos="{length} 0 0"/>'


CONNECT_STIFFNESS = 'solref="0.002 1" solimp="0.99999 0.99999 0.001 0.5 2"'


def slider_crank_model():
    """Crank and rod as a tree, the slider on its own slide, rod end connected to the slider."""
    start = cases.slider_crank_start()
    rod = (
        f'<body name="rod" pos="{cases.CRANK_LENGTH} 0 0">'
        f'{bar("rod", cases.ROD_LENGTH, cases.ROD_MASS, rod_end_site(cases.ROD_LENGTH))}</body>'
    )
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{compiler_options(cases.LOOP_GRAVITY)}<worldbody>"
        f'<body name="crank">{bar("crank", cases.CRANK_LENGTH, cases.CRANK_MASS, rod)}</body>'
        '<body name="slider"><joint name="slider" type="slide" axis="1 0 0"/>'
        f'<inertial pos="0 0 0" mass="{cases.SLIDER_MASS}" diaginertia="1e-3 1e-3 1e-3"/>'
        '<site name="tip"/></body></worldbody>'
        f'<equality><connect site1="end" site2="tip" {CONNECT_STIFFNESS}/></equality></mujoco>'
    )
    angle, speed = cases.SLIDER_CRANK_ANGLE, cases.SLIDER_CRANK_SPEED
    initial = [
        ("crank", angle, speed),
        ("rod", start["rod_angle"] - angle, start["rod_speed"] - speed),
        ("slider", start["slider_x"], start["slider_v"]),
    ]
    return model, initial


def four_bar_model():
    """Crank and coupler as one tree, the rocker as another, connected at B."""
    start = cases.four_bar_start()
    (a, b, c), (mass_a, mass_b, mass_c) = cases.FOUR_BAR_LENGTHS, cases.FOUR_BAR_MASSES
    coupler = f'<body name="coupler" pos="{a} 0 0">{bar("coupler", b, mass_b, rod_end_site(b))}</body>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{compiler_options(cases.LOOP_GRAVITY)}<worldbody>"
        f'<body name="crank">{bar("crank", a, mass_a, coupler)}</body>'
        f'<body name="rocker" pos="{numbers((*cases.FOUR_BAR_D, 0))}">'
        f"""{bar("rocker", c, mass_c, f'<site name="tip" pos="{c} 0 0"/>')}</body></worldbody>"""
        f'<equality><connect site1="end" site2="tip" {CONNECT_STIFFNESS}/></equality></mujoco>'
    )
    angles, speeds = start["angles"], start["speeds"]
    initial = [
        ("crank", angles[0], speeds[0]),
        ("coupler", angles[1] - angles[0], speeds[1] - speeds[0]),
        ("rocker", angles[2], speeds[2]),
    ]
    return model, initial


def run(chosen):
    """Times the case, stopping the clock at whole seconds to read the tracked position."""
    if chosen.case == "pendulum_chain":
        model, initial = chain_model(chosen.variant, chosen.size)
    else:
        model, initial = {"slider_crank": slider_crank_model, "four_bar": four_bar_model}[chosen.case]()
    data = mujoco.MjData(model)
    for name, position, speed in initial:
        joint = model.joint(name)
        data.qpos[joint.qposadr] = position
        data.qvel[joint.dofadr] = speed
    per_second = round(1.0 / cases.TIME_STEP)
    total = cases.Clock()
    total.wall_s = total.cpu_s = 0.0
    done, samples = 0, {}
    while done < chosen.steps:
        count = min(per_second, chosen.steps - done)
        with cases.Clock() as clock:
            mujoco.mj_step(model, data, nstep=count)
        total.wall_s += clock.wall_s
        total.cpu_s += clock.cpu_s
        done += count
        if done % per_second == 0:
            mujoco.mj_kinematics(model, data)
            samples[done // per_second] = tuple(float(x) for x in data.site("tip").xpos)
    if not all(math.isfinite(x) for x in data.qpos):
        raise SystemExit(f"mujoco diverged: {chosen.case}")
    return total, samples


def main():
    chosen = cases.arguments(METHODS, mujoco_contact.METHODS)
    if chosen.case in mujoco_contact.METHODS:
        mujoco_contact.main(chosen)
        return
    runs = []
    for _ in range(chosen.repeat):
        clock, samples = run(chosen)
        runs.append(clock)
    cases.report(
        chosen.case, chosen.variant, chosen.size, "mujoco", mujoco.__version__, chosen.method,
        chosen.steps, runs, samples,
    )


main()
