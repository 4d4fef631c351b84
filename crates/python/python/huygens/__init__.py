"""Huygens, a multi-physics dynamics engine.

>>> import huygens as hy
>>> world = hy.World(gravity=(0, 0, -9.81))
>>> steel = world.add_material(hy.Material.rigid(friction=0.4))
>>> floor = world.add_body(hy.Body.fixed(), shape=hy.Shape.half_space(), material=steel)
>>> ball = hy.Body.dynamic(position=(0, 0, 5), density=7800)
>>> ball = world.add_body(ball, shape=hy.Shape.sphere(0.5), material=steel)
>>> world.run(until=2.0, dt=1e-3)
True
>>> round(float(ball.position[2]), 2)
0.5
"""

from ._huygens import __version__
from ._shortcuts import Rotate
from .contact import Composite, ContactPoint, Contacts, ContactStatistics, NearestPoint, RayHit
from .errors import (
    AssemblyError,
    ConvergenceError,
    DivergedError,
    FileError,
    FileMissingError,
    HuygensError,
    LeftBoundsError,
    ModelError,
    SceneError,
    SimulationWarning,
)
from .fluids import FluidHandle
from .grains import GrainsHandle
from .handles import (
    BodyHandle,
    CouplingHandle,
    ForceHandle,
    JointHandle,
    MarkerHandle,
    MaterialHandle,
    MotorHandle,
    Reaction,
    ShaftHandle,
    SignalHandle,
)
from .recording import ExportReport, RecordedField, Recording, RecordingSummary
from .reports import AssemblyReport, Energy, Modes, Motions, StateViews, StaticsReport, StepReport
from .scene import RunReport, run_scene, scene_schema
from .spec import (
    Body,
    Contact,
    ContactPair,
    Coupling,
    Fill,
    Fluid,
    FluidWall,
    Force,
    Frame,
    Function,
    Grains,
    Integrator,
    Joint,
    Limit,
    Material,
    Motor,
    Particles,
    Probe,
    Section,
    Sensor,
    Shaft,
    Shape,
    Signal,
    Solid,
    Structure,
    Wall,
)
from .structures import (
    Buckling,
    LoadPath,
    NaturalModes,
    NodeHandle,
    SectionForces,
    SolidStresses,
    StructureHandle,
)
from .viewer import Viewer
from .world import GROUND, World

__all__ = [
    "GROUND",
    "AssemblyError",
    "AssemblyReport",
    "Body",
    "BodyHandle",
    "Buckling",
    "Composite",
    "Contact",
    "ContactPair",
    "ContactPoint",
    "ContactStatistics",
    "Contacts",
    "ConvergenceError",
    "Coupling",
    "CouplingHandle",
    "DivergedError",
    "Energy",
    "ExportReport",
    "FileError",
    "FileMissingError",
    "Fill",
    "Fluid",
    "FluidHandle",
    "FluidWall",
    "Force",
    "ForceHandle",
    "Frame",
    "Function",
    "Grains",
    "GrainsHandle",
    "HuygensError",
    "Integrator",
    "Joint",
    "JointHandle",
    "LeftBoundsError",
    "Limit",
    "LoadPath",
    "MarkerHandle",
    "Material",
    "MaterialHandle",
    "ModelError",
    "Modes",
    "Motions",
    "Motor",
    "MotorHandle",
    "NaturalModes",
    "NearestPoint",
    "NodeHandle",
    "Particles",
    "Probe",
    "RayHit",
    "Reaction",
    "RecordedField",
    "Recording",
    "RecordingSummary",
    "Rotate",
    "RunReport",
    "SceneError",
    "Section",
    "SectionForces",
    "Sensor",
    "Shaft",
    "ShaftHandle",
    "Shape",
    "Signal",
    "SignalHandle",
    "SimulationWarning",
    "Solid",
    "SolidStresses",
    "StateViews",
    "StaticsReport",
    "StepReport",
    "Structure",
    "StructureHandle",
    "Viewer",
    "Wall",
    "World",
    "__version__",
    "run_scene",
    "scene_schema",
]
