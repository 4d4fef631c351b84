"""The contact cases in MuJoCo: free bodies, soft contact as stiff as the cases ask for."""

import math

import numpy as np

import cases
import contact_cases

import mujoco

# The solver, and what is not MuJoCo's own choice; friction pyramids are.
METHODS = {"brick_wall": ["newton solref 0.004"], "sphere_settle": ["cg 50", "cg 50 elliptic"]}


def spec_for(option):
    """An empty model with the options of a solver."""
    return mujoco.MjSpec.from_string(
        f'<mujoco><option timestep="{cases.TIME_STEP}" gravity="0 0 {-contact_cases.GRAVITY}" {option}/></mujoco>'
    )


def add_plane(spec, point, normal, **surface):
    """Adds a half space whose free side is along `normal`."""
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, pos=list(point), zaxis=list(normal), size=[0, 0, 1], **surface
    )


def add_free_body(spec, position, kind, size, **surface):
    """Adds a body with one geometry and all six freedoms."""
    body = spec.worldbody.add_body(pos=list(position))
    body.add_freejoint()
    body.add_geom(type=kind, size=list(size), **surface)


def brick_wall_model(variant):
    """The wall; its ball, if it is hit, is the last body."""
    spec = spec_for('solver="Newton"')
    surface = {"friction": [contact_cases.WALL_FRICTION, 0, 0], "condim": 3, "solref": [0.004, 1]}
    add_plane(spec, (0, 0, 0), (0, 0, 1), **surface)
    for position in contact_cases.wall_positions():
        add_free_body(
            spec, position, mujoco.mjtGeom.mjGEOM_BOX, contact_cases.BRICK_HALF,
            mass=contact_cases.BRICK_MASS, **surface,
        )
    if variant == "hit":
        add_free_body(
            spec, contact_cases.BALL_POSITION, mujoco.mjtGeom.mjGEOM_SPHERE, [contact_cases.BALL_RADIUS, 0, 0],
            mass=contact_cases.BALL_MASS, **surface,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    if variant == "hit":
        data.qvel[-6:-3] = contact_cases.BALL_VELOCITY
    return model, data


def sphere_settle_model(size, method):
    """The bed of spheres, with MuJoCo's own softness."""
    cone = "elliptic" if method.endswith("elliptic") else "pyramidal"
    spec = spec_for(f'solver="CG" iterations="50" cone="{cone}"')
    surface = {"friction": [contact_cases.BED_FRICTION, 0, 0], "condim": 3}
    for point, normal in contact_cases.bed_walls(size):
        add_plane(spec, point, normal, **surface)
    for position in contact_cases.bed_positions(size):
        add_free_body(
            spec, position, mujoco.mjtGeom.mjGEOM_SPHERE, [contact_cases.SPHERE_RADIUS, 0, 0],
            density=contact_cases.SPHERE_DENSITY, **surface,
        )
    model = spec.compile()
    return model, mujoco.MjData(model)


def kinetic_energy(model, data):
    """Of all bodies [J]."""
    product = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, product, data.qvel)
    return 0.5 * float(product @ data.qvel)


def run(chosen):
    """Builds a case afresh and times it; answers with the clock and the figures of its end."""
    if chosen.case == "brick_wall":
        model, data = brick_wall_model(chosen.variant)
    else:
        model, data = sphere_settle_model(chosen.size, chosen.method)
        mujoco.mj_step(model, data, nstep=chosen.settle_steps)
    with cases.Clock() as clock:
        mujoco.mj_step(model, data, nstep=chosen.steps)
    poses = data.qpos.reshape(-1, 7)[: chosen.size]
    if not math.isfinite(poses.sum()) or data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
        raise SystemExit(f"mujoco diverged: {chosen.case}")
    positions, quaternions = poses[:, :3], poses[:, 3:]
    if chosen.case == "brick_wall":
        accuracy = contact_cases.wall_figures(positions, quaternions)
    else:
        accuracy = contact_cases.bed_figures(positions)
    return clock, {"contacts": data.ncon, "kinetic_energy": kinetic_energy(model, data), **accuracy}


def main(chosen):
    """Runs a case as often as asked and prints its line."""
    runs = []
    for _ in range(chosen.repeat):
        clock, figures = run(chosen)
        runs.append(clock)
    contact_cases.report(
        chosen.case, chosen.variant, chosen.size, "mujoco", mujoco.__version__, chosen.method,
        chosen.steps, runs, figures,
    )
