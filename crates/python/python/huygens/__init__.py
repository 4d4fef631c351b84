"""Huygens, a multi-physics dynamics engine.

>>> import huygens as hy
>>> world = hy.World(gravity=(0, 0, -9.81))
>>> ball = world.add_body(hy.Body.dynamic(position=(0, 0, 5), density=7800), shape=hy.Shape.sphere(0.5))
>>> world.run(until=1.0, dt=1e-3)
True
>>> round(float(ball.position[2]), 6)
0.095
"""

from ._huygens import __version__
from .errors import (
    AssemblyError,
    ConvergenceError,
    DivergedError,
    FileError,
    HuygensError,
    ModelError,
    SceneError,
)
from .handles import (
    BodyHandle,
    CouplingHandle,
    ForceHandle,
    JointHandle,
    MarkerHandle,
    MotorHandle,
    Reaction,
    ShaftHandle,
    SignalHandle,
)
from .scene import RunReport, run_scene, scene_schema
from .spec import (
    Body,
    Coupling,
    Force,
    Frame,
    Function,
    Integrator,
    Joint,
    Limit,
    Motor,
    Probe,
    Rotate,
    Sensor,
    Shaft,
    Shape,
    Signal,
)
from .world import (
    GROUND,
    AssemblyReport,
    Energy,
    Modes,
    Motions,
    StateViews,
    StaticsReport,
    StepReport,
    World,
)

__all__ = [
    "GROUND",
    "AssemblyError",
    "AssemblyReport",
    "Body",
    "BodyHandle",
    "ConvergenceError",
    "Coupling",
    "CouplingHandle",
    "DivergedError",
    "Energy",
    "FileError",
    "Force",
    "ForceHandle",
    "Frame",
    "Function",
    "HuygensError",
    "Integrator",
    "Joint",
    "JointHandle",
    "Limit",
    "MarkerHandle",
    "ModelError",
    "Modes",
    "Motions",
    "Motor",
    "MotorHandle",
    "Probe",
    "Reaction",
    "Rotate",
    "RunReport",
    "SceneError",
    "Sensor",
    "Shaft",
    "ShaftHandle",
    "Shape",
    "Signal",
    "SignalHandle",
    "StateViews",
    "StaticsReport",
    "StepReport",
    "World",
    "__version__",
    "run_scene",
    "scene_schema",
]
