"""What a world is made of: bodies, joints, motors, couplings, forces, shafts, signals, probes.

Every class builds the description that a scene file would hold, with the same keys, defaults and checks.
Quantities are in SI units, angles in radians unless a key ends in ``_deg``.
"""

from .control import Probe, Sensor, Signal
from .forces import Force
from .mechanism import Body, Coupling, Joint, Limit, Motor, Shaft
from .values import Frame, Function, Integrator, Rotate, Shape

__all__ = [
    "Body",
    "Coupling",
    "Force",
    "Frame",
    "Function",
    "Integrator",
    "Joint",
    "Limit",
    "Motor",
    "Probe",
    "Rotate",
    "Sensor",
    "Shaft",
    "Shape",
    "Signal",
]
