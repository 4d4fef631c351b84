"""What a world is made of: bodies, shapes, materials, joints, motors, forces, signals, probes.

Every class builds the description that a scene file would hold, with the same keys, defaults and checks.
Quantities are in SI units, angles in radians unless a key ends in ``_deg``.
"""

from .control import Probe, Sensor, Signal
from .fluids import Fluid, FluidWall
from .forces import Force
from .grains import Grains, Particles, Wall
from .mechanism import Body, Coupling, Joint, Limit, Motor, Shaft
from .structures import Section, Structure
from .surfaces import Contact, ContactPair, Fill, Material, Shape
from .values import Frame, Function, Integrator, Rotate, Solid

__all__ = [
    "Body",
    "Contact",
    "ContactPair",
    "Coupling",
    "Fill",
    "Fluid",
    "FluidWall",
    "Force",
    "Frame",
    "Function",
    "Grains",
    "Integrator",
    "Joint",
    "Limit",
    "Material",
    "Motor",
    "Particles",
    "Probe",
    "Rotate",
    "Section",
    "Sensor",
    "Shaft",
    "Shape",
    "Signal",
    "Solid",
    "Structure",
    "Wall",
]
