"""The world: a model that is built object by object and advanced in time."""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import _huygens
from ._huygens import Core
from ._arguments import name_in, vector
from ._plain import Spec, plain
from .contact import Composite, ContactPoint, Contacts, ContactStatistics, NearestPoint, RayHit
from .errors import ModelError
from .fluids import FluidHandle
from .grains import GrainsHandle
from .handles import (
    BodyHandle,
    CouplingHandle,
    ForceHandle,
    Handle,
    JointHandle,
    MaterialHandle,
    MotorHandle,
    ShaftHandle,
    SignalHandle,
)
from .recording import RecordingSummary
from .reports import AssemblyReport, Energy, Modes, Motions, StateViews, StaticsReport, StepReport
from .spec import (
    Body,
    Contact,
    ContactPair,
    Coupling,
    Fill,
    Fluid,
    Force,
    Frame,
    Grains,
    Joint,
    Material,
    Motor,
    Probe,
    Shaft,
    Shape,
    Signal,
    Structure,
)
from .structures import Buckling, LoadPath, NaturalModes, StructureHandle
from .viewer import Viewer

if TYPE_CHECKING:
    import os

    from typing_extensions import Self, Unpack

    from ._shortcuts import Rotate
    from ._values import Ref, Vector
    from .spec import SettingsArguments

Array: TypeAlias = NDArray[np.float64]

__all__ = ["GROUND", "World"]

_H = TypeVar("_H", bound=Handle)

GROUND = "ground"
"""The resting world, for joints, springs and bushings."""


class World:
    """A world: bodies, joints, motors, forces and signals, and their state in time.

    Objects may be added at any time; bodies, shafts and controllers keep their states. Wherever an object is
    expected, its handle or its name is accepted.
    """

    __slots__ = ("__weakref__", "_core")

    def __init__(
        self,
        *,
        threads: int = 1,
        view: Mapping[str, Any] | None = None,
        **settings: Unpack[SettingsArguments],
    ) -> None:
        """Build an empty world.

        The settings are those of scene files: ``gravity`` [m/s²], ``dt`` [s], ``integrator``, ``contact`` (also as
        the name of a law, ``"rigid"`` or ``"compliant"``) ... Results do not depend on ``threads`` (0: all cores).
        ``view`` is described at `view`.
        """
        self._core = Core(_settings(settings))
        self.view = view
        if threads != 1:
            self._core.threads = threads

    @classmethod
    def _of(cls, core: Core) -> Self:
        world = cls.__new__(cls)
        world._core = core
        return world

    @classmethod
    def from_scene(
        cls,
        path: str | os.PathLike[str],
        *,
        parameters: Mapping[str, float] | None = None,
        asset_root: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Build the world of a scene file, with other values of its parameters if given."""
        return cls._of(Core.from_scene(path, dict(parameters or {}), asset_root))

    @classmethod
    def from_dict(cls, scene: Mapping[str, Any]) -> Self:
        """Build the world of a scene without includes, given as a dictionary."""
        return cls._of(Core.from_dictionary(plain(scene)))

    def to_dict(self) -> dict[str, Any]:
        """Return the world as a scene, without user-defined laws."""
        return self._core.to_dictionary()

    def __repr__(self) -> str:
        counts = ((len(self._core.names(kind)), kind) for kind in ("body", "grains", "fluid", "structure", "joint", "motor", "force", "shaft"))
        parts = ", ".join(f"{count} {kind}" for count, kind in counts if count)
        return f"<World at t = {self.time:.6g} s: {parts or 'empty'}>"

    # Settings

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, in the form of a scene file."""
        return self._core.settings()

    def configure(self, **settings: Unpack[SettingsArguments]) -> None:
        """Change settings; the next step uses them. The name of a law as ``contact`` changes the law alone."""
        now, new = self._core.settings(), _settings(settings)
        if isinstance(settings.get("contact"), str):
            new["contact"] = {**now["contact"], **new["contact"]}
        self._core.configure({**now, **new})

    @property
    def gravity(self) -> Array:
        """Gravity [m/s²]."""
        return np.array(self.settings["gravity"])

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self.configure(gravity=gravity)

    @property
    def dt(self) -> float:
        """Step size [s]."""
        return float(self.settings["dt"])

    @dt.setter
    def dt(self, dt: float) -> None:
        self.configure(dt=dt)

    @property
    def contact(self) -> dict[str, Any]:
        """How contacts are found and resolved; set it to a `Contact`, or to the name of a law."""
        contact: dict[str, Any] = self.settings["contact"]
        return contact

    @contact.setter
    def contact(self, contact: Contact | str | Mapping[str, Any]) -> None:
        self.configure(contact=contact)

    @property
    def threads(self) -> int:
        """Number of threads; results do not depend on it."""
        return self._core.threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._core.threads = threads

    @property
    def view(self) -> dict[str, Any] | None:
        """How recordings of this world are shown: a render description with the keys of a scene's ``[view]``."""
        return self._core.view

    @view.setter
    def view(self, view: Mapping[str, Any] | None) -> None:
        self._core.set_view(None if view is None else json.dumps(plain(view)))

    # Building

    def _add(self, section: str, spec: Spec | Mapping[str, Any] | None, more: Mapping[str, Any]) -> str:
        law = more.get("law", getattr(spec, "law", None))
        given = plain(spec, self._core) if spec is not None else {}
        merged = {**given, **{key: plain(value, self._core) for key, value in more.items() if key != "law"}}
        return self._core.add(section, merged, law)

    def add_body(self, body: Body | Mapping[str, Any] | None = None, /, **more: Any) -> BodyHandle:
        """Add a body; keywords extend its description or replace parts of it.

        ``shape=`` is short for one shape in ``shapes=``, unless it is a `Solid`; ``material=`` applies to all shapes
        without their own.
        """
        return BodyHandle(self._core, self._add("body", None, _with_shapes({**_keys(body), **more})))

    def add_material(self, material: Material | Mapping[str, Any] | None = None, /, **more: Any) -> MaterialHandle:
        """Add a contact material; the one named ``default`` applies to shapes without a material."""
        return MaterialHandle(self._core, self._add("material", material, more))

    def add_fill(self, fill: Fill | Mapping[str, Any], /, **more: Any) -> list[BodyHandle]:
        """Add many equal bodies; ``material=`` is that of their shape."""
        keys = {**_keys(fill), **more}
        material = keys.pop("material", None)
        keys["shape"] = _with_material(keys.get("shape", {}), material)
        return [BodyHandle(self._core, name) for name in self._core.add_fill(plain(keys, self._core))]

    def add_grains(self, grains: Grains | Mapping[str, Any] | None = None, /, **more: Any) -> GrainsHandle:
        """Add granular matter; keywords extend its description or replace parts of it.

        Grains come with ``particles=``, or later by `GrainsHandle.add`.
        """
        return GrainsHandle(self._core, self._add("grains", grains, more))

    def add_fluid(self, fluid: Fluid | Mapping[str, Any] | None = None, /, **more: Any) -> FluidHandle:
        """Add a fluid; keywords extend its description or replace parts of it."""
        return FluidHandle(self._core, self._add("fluid", fluid, more))

    def add_structure(self, structure: Structure | Mapping[str, Any] | None = None, /, **more: Any) -> StructureHandle:
        """Add a flexible structure; keywords extend its description or replace parts of it."""
        return StructureHandle(self._core, self._add("structure", structure, more))

    def add_contact_pair(self, pair: ContactPair | Mapping[str, Any], /) -> None:
        """Add an exception: whether two bodies collide, or properties of a material pair. The last one applies."""
        self._add("contact pair", pair, {})

    def add_joint(self, joint: Joint | Mapping[str, Any], /, **more: Any) -> JointHandle:
        """Add a joint."""
        return JointHandle(self._core, self._add("joint", joint, more))

    def add_motor(self, motor: Motor | Mapping[str, Any], /, **more: Any) -> MotorHandle:
        """Add a motor."""
        return MotorHandle(self._core, self._add("motor", motor, more))

    def add_coupling(self, coupling: Coupling | Mapping[str, Any], /, **more: Any) -> CouplingHandle:
        """Add a gear, rack, belt or other coupling."""
        return CouplingHandle(self._core, self._add("coupling", coupling, more))

    def add_force(self, force: Force | Mapping[str, Any], /, **more: Any) -> ForceHandle:
        """Add a force element; ``law=f(time, coordinate, rate)`` replaces the constants of a spring."""
        return ForceHandle(self._core, self._add("force", force, more))

    def add_shaft(self, shaft: Shaft | Mapping[str, Any], /, **more: Any) -> ShaftHandle:
        """Add a shaft."""
        return ShaftHandle(self._core, self._add("shaft", shaft, more))

    def add_signal(self, signal: Signal | Mapping[str, Any], /, **more: Any) -> SignalHandle:
        """Add a signal. It may read signals that are added later."""
        return SignalHandle(self._core, self._add("signal", signal, more))

    def add_user_signal(self, name: str, inputs: Sequence[Ref], law: Callable[[float, Array], float]) -> SignalHandle:
        """Add a signal ``law(time, inputs)`` of other signals."""
        self._core.add_user_signal(name, plain(list(inputs), self._core), law)
        return SignalHandle(self._core, name)

    def add_ode(
        self,
        name: str,
        inputs: Sequence[Ref],
        initial: Vector,
        rates: Callable[[float, Array, Array], Vector | float],
        *,
        output: Callable[[float, Array, Array], float] | None = None,
        direct: bool = False,
    ) -> SignalHandle:
        """Add a first-order system ``rates(time, inputs, states)``.

        Its signal is the first state, or ``output(time, inputs, states)``. An output that reads its inputs needs
        ``direct=True`` (otherwise it receives none) and cannot close a loop.
        """
        states = vector(initial, "initial", None)
        self._core.add_user_ode(name, plain(list(inputs), self._core), states, rates, output, direct)
        return SignalHandle(self._core, name)

    def add_probe(self, probe: Probe | Ref | Mapping[str, Any], quantity: str | None = None, /, **more: Any) -> None:
        """Record a quantity while running: ``add_probe(ball, "position")``, or a `Probe`.

        ``add_probe(ball, "contact_force", with_=floor)`` includes only contacts between the two.
        """
        spec = probe if isinstance(probe, Spec | Mapping) else Probe(probe, quantity)
        if "with_" in more:
            more["with"] = more.pop("with_")
        self._add("probe", spec, more)

    @overload
    def add(self, item: Material, /) -> MaterialHandle: ...
    @overload
    def add(self, item: Body, /) -> BodyHandle: ...
    @overload
    def add(self, item: Fill, /) -> list[BodyHandle]: ...
    @overload
    def add(self, item: Grains, /) -> GrainsHandle: ...
    @overload
    def add(self, item: Fluid, /) -> FluidHandle: ...
    @overload
    def add(self, item: Structure, /) -> StructureHandle: ...
    @overload
    def add(self, item: ContactPair, /) -> None: ...
    @overload
    def add(self, item: Joint, /) -> JointHandle: ...
    @overload
    def add(self, item: Motor, /) -> MotorHandle: ...
    @overload
    def add(self, item: Coupling, /) -> CouplingHandle: ...
    @overload
    def add(self, item: Force, /) -> ForceHandle: ...
    @overload
    def add(self, item: Shaft, /) -> ShaftHandle: ...
    @overload
    def add(self, item: Signal, /) -> SignalHandle: ...
    @overload
    def add(self, item: Probe, /) -> None: ...
    @overload
    def add(self, item: Spec, /) -> Handle | list[BodyHandle] | str | None: ...
    def add(self, item: Spec, /) -> Handle | list[BodyHandle] | str | None:
        """Add an object of any kind; objects without a handle class return their name."""
        if isinstance(item, Body):
            return self.add_body(item)
        if isinstance(item, Fill):
            return self.add_fill(item)
        for kind, (section, handle) in _KINDS.items():
            if isinstance(item, kind):
                return handle(self._core, self._add(section, item, {}))
        if isinstance(item, Probe):
            self.add_probe(item)
            return None
        if isinstance(item, ContactPair):
            self.add_contact_pair(item)
            return None
        if item._section is not None:
            return self._add(item._section, item, {})
        message = f"a {type(item).__name__} cannot be added to a world"
        raise TypeError(message)

    def remove(self, item: Ref, /, kind: str | None = None) -> None:
        """Remove an object by its handle or name; all others keep their states and handles.

        An object to which others refer is refused, with the name of one of them. ``kind``, such as ``"probe"`` or
        ``"fill"``, is needed for names that are unique among objects of their kind only.
        """
        name = name_in(self._core, item)
        if kind is None:
            kinds = {handle: kind for kind, handle in _HANDLES.items()}
            kind = kinds.get(type(item)) if isinstance(item, Handle) else self._core.section_of(name)
        if kind is None:
            message = f"there is no object '{name}'; name its kind where names are not unique, as in kind='probe'"
            raise KeyError(message)
        self._core.remove(kind, name)

    # Objects by name

    def __getitem__(self, name: str) -> Handle:
        section = self._core.section_of(name)
        if section is None and name in self._core.names("signal"):
            section = "signal"
        if section is None:
            known = [known for kind, _ in _KINDS.values() for known in self._core.names(kind)]
            raise KeyError(_missing("object", name, known))
        return _HANDLES[section](self._core, name)

    def __contains__(self, name: str) -> bool:
        return self._core.section_of(name) is not None or name in self._core.names("signal")

    @property
    def bodies(self) -> list[BodyHandle]:
        """All bodies in the order in which they were added."""
        return [BodyHandle(self._core, name) for name in self._core.names("body")]

    @property
    def grains(self) -> list[GrainsHandle]:
        """All sets of grains in the order in which they were added."""
        return [GrainsHandle(self._core, name) for name in self._core.names("grains")]

    @property
    def fluids(self) -> list[FluidHandle]:
        """All fluids in the order in which they were added."""
        return [FluidHandle(self._core, name) for name in self._core.names("fluid")]

    @property
    def structures(self) -> list[StructureHandle]:
        """All flexible structures in the order in which they were added."""
        return [StructureHandle(self._core, name) for name in self._core.names("structure")]

    @property
    def materials(self) -> list[MaterialHandle]:
        """All materials that were added, in order."""
        return [MaterialHandle(self._core, name) for name in self._core.names("material")]

    @property
    def joints(self) -> list[JointHandle]:
        """All joints in the order in which they were added."""
        return [JointHandle(self._core, name) for name in self._core.names("joint")]

    @property
    def motors(self) -> list[MotorHandle]:
        """All motors in the order in which they were added."""
        return [MotorHandle(self._core, name) for name in self._core.names("motor")]

    @property
    def couplings(self) -> list[CouplingHandle]:
        """All couplings in the order in which they were added."""
        return [CouplingHandle(self._core, name) for name in self._core.names("coupling")]

    @property
    def forces(self) -> list[ForceHandle]:
        """All force elements in the order in which they were added."""
        return [ForceHandle(self._core, name) for name in self._core.names("force")]

    @property
    def shafts(self) -> list[ShaftHandle]:
        """All shafts in the order in which they were added."""
        return [ShaftHandle(self._core, name) for name in self._core.names("shaft")]

    @property
    def signals(self) -> list[SignalHandle]:
        """All signals in the order in which they were added."""
        return [SignalHandle(self._core, name) for name in self._core.names("signal")]

    def body(self, name: str) -> BodyHandle:
        """Return the body of that name."""
        return self._find(name, BodyHandle, "body")

    def material(self, name: str) -> MaterialHandle:
        """Return the material of that name."""
        return self._find(name, MaterialHandle, "material")

    def joint(self, name: str) -> JointHandle:
        """Return the joint of that name."""
        return self._find(name, JointHandle, "joint")

    def motor(self, name: str) -> MotorHandle:
        """Return the motor of that name."""
        return self._find(name, MotorHandle, "motor")

    def coupling(self, name: str) -> CouplingHandle:
        """Return the coupling of that name."""
        return self._find(name, CouplingHandle, "coupling")

    def force(self, name: str) -> ForceHandle:
        """Return the force element of that name."""
        return self._find(name, ForceHandle, "force")

    def shaft(self, name: str) -> ShaftHandle:
        """Return the shaft of that name."""
        return self._find(name, ShaftHandle, "shaft")

    def signal(self, name: str) -> SignalHandle:
        """Return the signal of that name."""
        return self._find(name, SignalHandle, "signal")

    def _find(self, name: str, handle: type[_H], section: str) -> _H:
        apart = section in ("material", "signal")  # these have names of their own
        found = name in self._core.names(section) if apart else self._core.section_of(name) == section
        if not found:
            raise KeyError(_missing(section, name, self._core.names(section)))
        return handle(self._core, name)

    # Moving

    def initialize(self) -> AssemblyReport:
        """Build the model and assemble consistent initial conditions, unless this has been done."""
        return AssemblyReport(*self._core.initialize())

    def step(self, dt: float | None = None) -> StepReport:
        """Advance by one step."""
        method, contact = self._core.step(dt)
        return StepReport(*method, *contact)

    def run(
        self,
        until: float | None = None,
        dt: float | None = None,
        *,
        callback: Callable[[World], object] | None = None,
        every: float | None = None,
        record: str | os.PathLike[str] | None = None,
    ) -> bool:
        """Advance to the simulated time ``until`` [s] in steps of ``dt`` [s]; both default to the settings.

        ``until`` must not lie before `time`. The last step is cut to end there, so that a run in two parts is
        bit-identical to a single one only if a step ends where the parts meet.
        ``callback(world)`` is called after every step, or every ``every`` seconds; it may read and change the world,
        and stops the run by returning ``False``. ``record`` names a file into which this run is recorded,
        as by `start_recording`; it is complete even if the run ends with an exception. Return whether ``until`` was
        reached.
        """
        if dt is not None:
            self.configure(dt=dt)
        end = float(self.settings["until"]) if until is None else until
        call = None if callback is None else lambda: callback(self)
        if record is None:
            return self._core.run(end, call, every)
        self._core.start_recording(record, until=end)
        try:
            reached = self._core.run(end, call, every)
        except BaseException:
            # Why the run ended matters more than why its last frame is missing.
            with contextlib.suppress(Exception):
                self._core.stop_recording()
            raise
        self._core.stop_recording()
        return reached

    def start_recording(
        self,
        path: str | os.PathLike[str],
        *,
        every: float | None = None,
        budget_mb: float | None = None,
        name: str = "",
        view: Mapping[str, Any] | None = None,
        resume: bool = False,
    ) -> None:
        """Record all motion from now on into a file that `Recording`, viewers and renderers read.

        ``path`` is the file, or a folder for a ``run.hrec`` in it. A frame is taken every ``every`` seconds of
        simulated time, but at most one per step; ``budget_mb`` limits the file size: when it is reached,
        every second frame is dropped, and the interval doubles. Both default to ``output={"recording": ...}`` of
        the settings. ``name`` is the title of pictures, ``view`` a render description instead of the world's.
        ``resume=True`` continues a file of the same model, from which frames after the current time are dropped.

        Objects and probes that are added later are in the frames from then on. An exception leaves a file that plays
        up to its last complete block.
        """
        text = None if view is None else json.dumps(plain(view))
        self._core.start_recording(path, every, budget_mb, None, name, text, resume)

    def stop_recording(self) -> RecordingSummary | None:
        """Record the current state and complete the file; return a summary, if anything was written."""
        summary = self._core.stop_recording()
        return None if summary is None else RecordingSummary(*summary)

    @property
    def recording(self) -> Path | None:
        """File of the current recording."""
        path = self._core.recording
        return None if path is None else Path(path)

    def start_viewer(
        self,
        *,
        interactive: bool = False,
        port: int = 0,
        address: str = "127.0.0.1",
        hosts: Iterable[str] = (),
    ) -> Viewer:
        """Show the current recording in the browser, live; see `Viewer`.

        ::

            world.start_recording("run.hrec")
            with world.start_viewer() as viewer:
                viewer.open()
                world.run(until=10)

        The page of an ``interactive`` viewer steers `run`: it pauses and steps it, pulls bodies, and sets input
        signals by sliders and keys. The run is then paced to real time, and its result depends on what the user
        does.
        """
        path = self.recording
        if path is None:
            message = "the viewer shows a recording, and none is under way; call start_recording() first"
            raise ModelError(message)
        viewer = Viewer(path, port=port, address=address, hosts=hosts, interactive=interactive)
        if interactive:
            self._core.steered_by(viewer._server)
        return viewer

    def kinematics(
        self,
        until: float | None = None,
        dt: float | None = None,
        *,
        callback: Callable[[World], object] | None = None,
    ) -> bool:
        """Move a completely driven mechanism; call ``callback(world)`` initially and after every ``dt``."""
        end = float(self.settings["until"]) if until is None else until
        call = None if callback is None else lambda: callback(self)
        return self._core.kinematics(end, self.dt if dt is None else dt, call)

    def pull(self, body: Ref, target: Vector, *, point: Vector = (0, 0, 0), dt: float | None = None) -> None:
        """Pull a dynamic body for one step, as the mouse does in the viewer.

        A damped spring, as stiff as the body is heavy, acts from ``point`` [m] in the body's frame to ``target`` [m] in
        the world for the next step, of ``dt`` [s] (that of the settings if not given). To keep pulling, call it
        before every step, such as in the callback of `run`.
        """
        self._core.pull(name_in(self._core, body), vector(point, "point"), vector(target, "target"), dt)

    @property
    def inputs(self) -> dict[str, float]:
        """Values of all input signals, by name; ``world.signal(name).value = x`` sets one."""
        return {name: value for name, value, _, _ in self._core.inputs()}

    def equilibrium(self) -> StaticsReport:
        """Move to a static equilibrium near the state."""
        return StaticsReport(*self._core.equilibrium())

    def modes(self) -> Modes:
        """Return frequencies, damping and shapes of small motions about the state."""
        real, imaginary, frequencies, damping, shapes_real, shapes_imaginary = self._core.modes()
        shapes = np.array(shapes_real) + 1j * np.array(shapes_imaginary)
        return Modes(real + 1j * imaginary, frequencies, damping, shapes)

    def load_path(self) -> LoadPath:
        """Increase gravity and loads from zero and follow the equilibria, as set in ``settings["load_path"]``."""
        factors, rows, report = _huygens.load_path(self._core)
        names = [name for name, _ in self._core.probe_units()]
        table = rows.reshape(len(factors), -1)
        return LoadPath(factors, {name: table[:, k] for k, name in enumerate(names)}, *report)

    def natural_modes(self, count: int = 10, near: float = 0.0) -> NaturalModes:
        """Return the undamped modes whose frequencies are nearest to ``near`` [Hz]; models of any size."""
        squares, frequencies, shapes = _huygens.natural_modes(self._core, count, near)
        return NaturalModes(squares, frequencies, shapes.reshape(len(squares), -1))

    def buckling(self, count: int = 10) -> Buckling:
        """Return the smallest factors of gravity and loads at which the world buckles."""
        factors, shapes = _huygens.buckling(self._core, count)
        return Buckling(factors, shapes.reshape(len(factors), -1))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the complete state to a file."""
        self._core.save(path)

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Continue from a file written by the same model; the continued run is bit-identical."""
        self._core.restore(path)

    # Reading

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._core.time

    @property
    def step_count(self) -> int:
        """Number of steps since the start."""
        return self._core.step_count

    @property
    def state_hash(self) -> str:
        """Hash of the complete state; equal states have equal hashes."""
        return self._core.state_hash

    @property
    def warnings(self) -> list[str]:
        """Warnings, in order; each is issued as a `SimulationWarning` once, when it comes up."""
        return self._core.warnings

    @property
    def energy(self) -> Energy:
        """Kinetic, potential and elastic energy [J]."""
        return Energy(*self._core.energy())

    @property
    def constraint_residual(self) -> float:
        """Largest residual of the joints and couplings [m or rad]."""
        return self._core.constraint_residual

    def probes(self) -> dict[str, Array]:
        """Return what the probes recorded, by the names of their columns; ``time`` [s] first."""
        return self._core.probes()

    def probe_units(self) -> dict[str, str]:
        """Return the units of the probe columns."""
        return dict(self._core.probe_units())

    def clear_probes(self) -> None:
        """Discard what the probes recorded."""
        self._core.clear_probes()

    def motions(self) -> Motions:
        """Return the motion of all bodies, copied in one go."""
        p, r, v, w = self._core.motions()
        return Motions(p.reshape(-1, 3), r.reshape(-1, 4), v.reshape(-1, 3), w.reshape(-1, 3))

    @property
    def positions(self) -> Array:
        """Positions of all bodies [m], (n, 3); a copy."""
        return self.motions().positions

    @property
    def rotations(self) -> Array:
        """Orientations of all bodies as quaternions w, x, y, z, (n, 4); a copy."""
        return self.motions().rotations

    @property
    def velocities(self) -> Array:
        """Velocities of all bodies [m/s], (n, 3); a copy."""
        return self.motions().velocities

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities of all bodies [rad/s], world axes, (n, 3); a copy."""
        return self.motions().angular_velocities

    # Contact

    def contacts(self) -> Contacts:
        """Return the contacts of the last step that carry a force or overlap, as arrays."""
        a, b, point, normal, gap, force, couple = self._core.contacts()
        rows = (point.reshape(-1, 3), normal.reshape(-1, 3), gap, force.reshape(-1, 3), couple.reshape(-1, 3))
        return Contacts(a, b, *rows)

    def contact_force(self, body: Ref, other: Ref) -> Array:
        """Return the force that the body ``other`` exerts on ``body`` by contact [N], world axes."""
        return np.array(self._core.pair_contact_force(name_in(self._core, body), name_in(self._core, other)))

    @property
    def contact_statistics(self) -> ContactStatistics:
        """Contact statistics since the world was created."""
        return ContactStatistics(*self._core.contact_statistics())

    def set_contact_callback(
        self,
        *,
        filter: Callable[[str, str], bool] | None = None,
        modify: Callable[[ContactPoint, Composite], object] | None = None,
    ) -> None:
        """Install contact callables in place of previous ones; without arguments, remove them.

        ``filter(a, b)`` returns whether two bodies, given by name, may collide. ``modify(contact, composite)`` changes
        the properties in ``composite`` at one contact. They receive only their arguments, and may be called from
        several threads. An exception is raised once the step is done; that step continues without the callables.
        """
        self._core.set_contact_callback(filter, modify)

    def ray_cast(self, origin: Vector, direction: Vector, max: float = np.inf) -> RayHit | None:
        """Return the first body that a ray hits within ``max`` [m]."""
        hit = self._core.ray_cast(vector(origin, "origin"), vector(direction, "direction"), float(max))
        return hit and RayHit(BodyHandle(self._core, hit[0]), hit[1], np.array(hit[2]), np.array(hit[3]))

    def closest_point(self, point: Vector) -> NearestPoint | None:
        """Return the point of all bodies' surfaces that is closest to ``point`` [m]."""
        hit = self._core.closest_point(vector(point, "point"))
        return hit and NearestPoint(BodyHandle(self._core, hit[0]), hit[1], np.array(hit[2]), np.array(hit[3]))

    def overlap(
        self,
        shape: Shape | Mapping[str, Any],
        position: Vector | None = None,
        rotation: Rotate | Vector | Mapping[str, Any] | None = None,
    ) -> list[BodyHandle]:
        """Return the bodies that overlap a shape at a pose in the world."""
        frame = Frame(position, rotation=rotation)
        return [BodyHandle(self._core, name) for name in self._core.overlap(plain(shape, self._core), plain(frame))]

    def distance(self, a: Ref, b: Ref) -> float:
        """Return the distance between two bodies [m]: zero where they overlap, infinite where one has no shape."""
        return self._core.distance(name_in(self._core, a), name_in(self._core, b))

    def state_views(self) -> StateViews:
        """Return views of the state that follow the world without copying; see `StateViews`."""
        q, v, count = self._core.state_arrays()
        places = q[: 7 * count].reshape(count, 7)
        rates = v[: 6 * count].reshape(count, 6)
        return StateViews(places[:, :3], places[:, 3:], rates[:, :3], rates[:, 3:], q, v)


_KINDS: dict[type[Spec], tuple[str, type[Handle]]] = {
    Body: ("body", BodyHandle),
    Grains: ("grains", GrainsHandle),
    Fluid: ("fluid", FluidHandle),
    Structure: ("structure", StructureHandle),
    Material: ("material", MaterialHandle),
    Joint: ("joint", JointHandle),
    Motor: ("motor", MotorHandle),
    Coupling: ("coupling", CouplingHandle),
    Force: ("force", ForceHandle),
    Shaft: ("shaft", ShaftHandle),
    Signal: ("signal", SignalHandle),
}

_HANDLES: dict[str, type[Handle]] = dict(_KINDS.values())


def _missing(kind: str, name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"there is no {kind} '{name}'; did you mean '{near[0]}'?"
    most = 8
    shown = ", ".join(f"'{other}'" for other in known[:most]) or "none"
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"there is no {kind} '{name}'; there are: {shown}{more}"


def _keys(spec: Spec | Mapping[str, Any] | None) -> Mapping[str, Any]:
    return spec.spec if isinstance(spec, Spec) else spec or {}


def _with_shapes(body: dict[str, Any]) -> dict[str, Any]:
    """Convert the short forms ``shape`` and ``material`` into the shapes of a scene file."""
    material = body.pop("material", None)
    if isinstance(body.get("shape"), Shape):
        body["shapes"] = [*(body.get("shapes") or ()), body.pop("shape")]
    shapes = body.get("shapes")
    if material is not None and not shapes:
        message = "`material` belongs to shapes that collide; the body has none"
        raise ModelError(message)
    if shapes:
        body["shapes"] = [_with_material(shape, material) for shape in shapes]
    return body


def _with_material(shape: Shape | Mapping[str, Any], material: Ref | None) -> Shape | Mapping[str, Any]:
    """Give a shape a material, unless it has one."""
    keys = _keys(shape)
    return shape if material is None or keys.get("material") is not None else {**keys, "material": material}


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = plain(dict(given))
    if isinstance(settings.get("integrator"), str):
        settings["integrator"] = {"type": settings["integrator"]}
    if isinstance(settings.get("contact"), str):
        settings["contact"] = {"law": settings["contact"]}
    return settings
