"""Runs a benchmark case in Exudyn (rigid bodies or a cable in space, index-3 or index-2 DAE), prints one JSON line.

Set for speed: the library built without range checks, a sparse factorization with a reused pattern, no
files, no sensors, no messages. Which Jacobian policy is faster depends on the case (a new one each step for
the plane chain and the loops, one kept until Newton slows down for the chain in space), so both run and the
faster is reported. The method `trapezoidal_index2_plain` is the same integrator as a first user finds it:
library with range checks, Jacobian kept.

The generalized-alpha methods need step cutting on the chain: when Newton stalls, Exudyn halves the step,
and the extra work is part of the time per nominal step.
"""

import math
import sys

import cases

METHODS = [
    "generalized_alpha_index3_rho0.8",
    "generalized_alpha_index3_rho0.9",
    "trapezoidal_index2",
    "trapezoidal_index2_plain",
]
chosen = cases.arguments(METHODS)
plain = chosen.method.endswith("_plain")

# Read by exudyn at import: which of its two libraries to load.
sys.exudynFast = not plain
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.rigidBodyUtilities import RigidBodyInertia, RotationMatrixZ  # noqa: E402


def chain(mbs, variant, size):
    """Adds the pendulum chain; answers with the body and local point that is tracked."""
    inertia = RigidBodyInertia(
        cases.LINK_MASS,
        np.diag([cases.LINK_INERTIA_AXIAL, cases.LINK_INERTIA_TRANSVERSE, cases.LINK_INERTIA_TRANSVERSE]),
    )
    previous = mbs.CreateGround()
    for index in range(size):
        left = index * cases.LINK_LENGTH
        link = mbs.CreateRigidBody(
            referencePosition=[left + cases.LINK_LENGTH / 2, 0, 0],
            inertia=inertia,
            gravity=list(cases.CHAIN_GRAVITY[variant]),
            nodeType=exu.NodeType.RotationEulerParameters,
        )
        mbs.CreateRevoluteJoint(
            itemNumbers=[previous, link], position=[left, 0, 0], axis=list(cases.link_axis(variant, index))
        )
        previous = link
    return previous, [cases.LINK_LENGTH / 2, 0, 0]


def bar(mbs, start, angle, speed, start_velocity, length, mass):
    """Adds a slender bar that starts at `start` and turns about its first end moving with `start_velocity`."""
    half = np.array([math.cos(angle), math.sin(angle), 0]) * length / 2
    transverse = mass * length**2 / 12
    return mbs.CreateRigidBody(
        referencePosition=list(np.array(start) + half),
        referenceRotationMatrix=RotationMatrixZ(angle),
        initialVelocity=list(np.array(start_velocity) + speed * np.array([-half[1], half[0], 0])),
        initialAngularVelocity=[0, 0, speed],
        inertia=RigidBodyInertia(mass, np.diag([cases.BAR_AXIAL_INERTIA, transverse, transverse])),
        gravity=list(cases.LOOP_GRAVITY),
    )


def hinge(mbs, first, second, position):
    """Joins two bodies by an axis along z; the first hinge of a plane loop."""
    mbs.CreateRevoluteJoint(itemNumbers=[first, second], position=list(position), axis=[0, 0, 1])


def pin(mbs, first, second, position):
    """Joins two bodies at a point of the plane: closes a loop without redundant constraints."""
    mbs.CreateGenericJoint(
        itemNumbers=[first, second], position=list(position), constrainedAxes=[1, 1, 0, 0, 0, 0]
    )


def slider_crank(mbs):
    """Adds the slider-crank; answers with the slider."""
    start = cases.slider_crank_start()
    pin_a = (*start["pin"], 0.0)
    slide = (start["slider_x"], 0.0, 0.0)
    omega = cases.SLIDER_CRANK_SPEED
    velocity_a = (-omega * pin_a[1], omega * pin_a[0], 0.0)
    ground = mbs.CreateGround()
    crank = bar(mbs, (0, 0, 0), cases.SLIDER_CRANK_ANGLE, omega, (0, 0, 0), cases.CRANK_LENGTH, cases.CRANK_MASS)
    rod = bar(mbs, pin_a, start["rod_angle"], start["rod_speed"], velocity_a, cases.ROD_LENGTH, cases.ROD_MASS)
    slider = mbs.CreateRigidBody(
        referencePosition=list(slide),
        initialVelocity=[start["slider_v"], 0, 0],
        inertia=RigidBodyInertia(cases.SLIDER_MASS, 1e-3 * np.eye(3)),
        gravity=list(cases.LOOP_GRAVITY),
    )
    hinge(mbs, ground, crank, (0, 0, 0))
    hinge(mbs, crank, rod, pin_a)
    mbs.CreatePrismaticJoint(itemNumbers=[ground, slider], position=list(slide), axis=[1, 0, 0])
    pin(mbs, rod, slider, slide)
    return slider, [0, 0, 0]


def four_bar(mbs):
    """Adds the four-bar linkage; answers with the rocker and its end B."""
    start = cases.four_bar_start()
    joint_a, joint_b, joint_d = (*start["joint_a"], 0.0), (*cases.FOUR_BAR_B, 0.0), (*cases.FOUR_BAR_D, 0.0)
    omega = start["speeds"][0]
    velocity_a = (-omega * joint_a[1], omega * joint_a[0], 0.0)
    origins = ((0, 0, 0), joint_a, joint_d)
    velocities = ((0, 0, 0), velocity_a, (0, 0, 0))
    ground = mbs.CreateGround()
    crank, coupler, rocker = (
        bar(mbs, origins[i], start["angles"][i], start["speeds"][i], velocities[i],
            cases.FOUR_BAR_LENGTHS[i], cases.FOUR_BAR_MASSES[i])
        for i in range(3)
    )
    hinge(mbs, ground, crank, (0, 0, 0))
    hinge(mbs, crank, coupler, joint_a)
    hinge(mbs, ground, rocker, joint_d)
    pin(mbs, coupler, rocker, joint_b)
    return rocker, [cases.FOUR_BAR_LENGTHS[2] / 2, 0, 0]


def cable(mbs, variant, size):
    """Adds the cable pendulum; answers with the last element and its end."""
    length = cases.CABLE_LENGTH / size
    nodes = [
        mbs.AddNode(items.NodePointSlope1(referenceCoordinates=[index * length, 0, 0, 1, 0, 0]))
        for index in range(size + 1)
    ]
    last = None
    for index in range(size):
        last = mbs.AddObject(
            items.ObjectANCFCable(
                nodeNumbers=nodes[index : index + 2],
                physicsLength=length,
                massPerLength=cases.CABLE_DENSITY,
                bendingStiffness=cases.CABLE_BENDING,
                axialStiffness=cases.CABLE_STRETCH[variant],
            )
        )
        marker = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=last))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    ground = mbs.AddNode(items.NodePointGround())
    fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for coordinate in range(3):
        held = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        mbs.AddObject(items.CoordinateConstraint(markerNumbers=[fixed, held]))
    return last, [length, 0, 0]


def settings(steps, jacobian):
    """Simulation settings for `steps` steps of the common length."""
    chosen_settings = exu.SimulationSettings()
    integration = chosen_settings.timeIntegration
    integration.numberOfSteps = steps
    integration.endTime = steps * cases.TIME_STEP
    integration.verboseMode = 0
    integration.newton.useModifiedNewton = True
    integration.newton.modifiedNewtonJacUpdatePerStep = jacobian == "each_step"
    chosen_settings.solution.file.write = False
    chosen_settings.solution.sensors.active = False
    chosen_settings.parallel.numberOfThreads = 1
    # Three bodies are faster with a dense factorization.
    if chosen.size > 8:
        chosen_settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        chosen_settings.linearSolver.reuseAnalyzedPattern = not plain
    if chosen.method.startswith("trapezoidal_index2"):
        integration.solverType = exu.DynamicSolverType.TrapezoidalIndex2
    else:
        integration.solverType = exu.DynamicSolverType.GeneralizedAlpha
        integration.generalizedAlpha.spectralRadius = float(chosen.method.rpartition("rho")[2])
    return chosen_settings


def run(steps, jacobian):
    """Builds the case afresh, times `steps` steps, and answers with the clock and the tracked position."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    if chosen.case == "ancf_cable":
        body, point = cable(mbs, chosen.variant, chosen.size)
    elif chosen.case == "pendulum_chain":
        body, point = chain(mbs, chosen.variant, chosen.size)
    else:
        body, point = {"slider_crank": slider_crank, "four_bar": four_bar}[chosen.case](mbs)
    mbs.Assemble()
    try:
        with cases.Clock() as clock:
            mbs.SolveDynamic(settings(steps, jacobian), showHints=False)
    except exu.SolverError:
        sys.exit(f"exudyn did not converge: {chosen.case} {chosen.size} {chosen.method}")
    position = mbs.GetObjectOutputBody(body, exu.OutputVariableType.Position, point)
    return clock, tuple(float(x) for x in position)


def main():
    candidates = []
    for jacobian in ["kept"] if plain else ["each_step", "kept"]:
        for _ in range(chosen.repeat):
            clock, position = run(chosen.steps, jacobian)
            candidates.append((clock.cpu_s, jacobian, clock, position))
    _, jacobian, clock, position = min(candidates, key=lambda candidate: candidate[0])
    samples = {round(chosen.steps * cases.TIME_STEP): position}
    # Restarting would reset the algorithmic accelerations, so earlier positions come from shorter runs.
    for second in cases.REFERENCE.get((chosen.case, chosen.variant), {}):
        steps = round(second / cases.TIME_STEP)
        if steps < chosen.steps and (chosen.case != "pendulum_chain" or chosen.size == 32):
            samples[second] = run(steps, jacobian)[1]
    cases.report(
        chosen.case, chosen.variant, chosen.size, "exudyn", exu.config.Version(), chosen.method,
        chosen.steps, [clock], samples, settings=f"jacobian_{jacobian}",
    )


main()
