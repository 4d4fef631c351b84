"""Settings of a world: method, contact, output.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from .._plain import Spec, gathered

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from typing_extensions import Self

    from .._values import Matrix, Vector

__all__ = [
    "CompliantModel",
    "Contact",
    "Integrator",
    "LinearSolver",
    "LoadPathSettings",
    "ModesSettings",
    "NewtonSettings",
    "OutputArguments",
    "RecordingArguments",
    "RigidContact",
    "SettingsArguments",
    "StepControl",
]


class Integrator(Spec):
    """Which method moves the state."""

    __slots__ = ()

    @classmethod
    def generalized_alpha(cls, rho: float | None = None) -> Self:
        """Generalized-α on the index-3 equations (chung1993, arnold2007): second order, damping of high
        frequencies set by the spectral radius at infinity.

        Args:
            rho: Spectral radius at infinity, 0 (most damping) to 1 (none). Default: ``0.8``.
        """
        return cls(type="generalized_alpha", rho=rho)

    @classmethod
    def hht(cls, alpha: float | None = None) -> Self:
        """Hilber–Hughes–Taylor on the index-3 equations (hilber1977, negrut2007).

        Args:
            alpha: α from −1/3 (most damping) to 0 (trapezoidal rule). Default: ``-0.1``.
        """
        return cls(type="hht", alpha=alpha)

    @classmethod
    def newmark(cls, beta: float | None = None, gamma: float | None = None) -> Self:
        """Newmark on the index-3 equations (newmark1959).

        Args:
            beta: β; ¼(γ+½)² is the smallest unconditionally stable value. Default: ``0.25``.
            gamma: γ; ½ has second order and no damping, larger values damp at first order. Default:
                ``0.5``.
        """
        return cls(type="newmark", beta=beta, gamma=gamma)

    @classmethod
    def euler(cls) -> Self:
        """Linearly implicit Euler at velocity level with constraint stabilization (anitescu2006): first order;
        treats unilateral constraints as complementarity.
        """
        return cls(type="euler")

    @classmethod
    def euler_projected(cls) -> Self:
        """As ``euler``, with positions projected onto the constraints after each step instead of stabilization."""
        return cls(type="euler_projected")

    @classmethod
    def rk4(cls) -> Self:
        """Classical fourth-order Runge–Kutta on the rotation group, for unconstrained systems."""
        return cls(type="rk4")

    @classmethod
    def heun(cls) -> Self:
        """Heun's second-order method, for unconstrained systems."""
        return cls(type="heun")

    @classmethod
    def leapfrog(cls) -> Self:
        """Kick–drift–kick leapfrog, second order, for unconstrained systems."""
        return cls(type="leapfrog")


class SettingsArguments(TypedDict, total=False):
    """Settings of a simulation."""

    gravity: Vector
    """Gravity [m/s²]. Default: ``(0, 0, -9.81)``."""
    dt: float
    """Step size [s]; with step control, the first one. Default: ``0.001``."""
    until: float
    """Simulated time at which a run ends [s]. Default: ``1``."""
    analysis: Literal["dynamics", "kinematics", "statics", "modes", "buckling"]
    """What is computed. Default: ``"dynamics"``."""
    load_path: LoadPathSettings | Mapping[str, Any] | None
    """How static equilibria of structures are found; of mechanisms too, where it is given."""
    modes: ModesSettings | Mapping[str, Any] | None
    """Which frequencies or buckling loads of structures are found; of mechanisms too, where it is given."""
    integrator: Integrator | str | Mapping[str, Any] | None
    """The method that moves the state; if absent, ``generalized_alpha``, or where shapes collide ``euler`` (for
    the compliant law without joints and limits ``leapfrog``).
    """
    newton: NewtonSettings | Mapping[str, Any]
    """Newton's method inside the implicit integrators."""
    step_control: StepControl | Mapping[str, Any] | None
    """Step-size control; without it every step is ``dt`` long."""
    contact: Contact | str | Mapping[str, Any]
    """How contacts are found and resolved."""
    bounds: Matrix | None
    """Lowest and highest corner of the world [m]; a body whose centre of mass leaves it stops the run."""
    assemble: bool
    """Whether the start is moved to the nearest one that all joints allow. Without it a start that misses a
    joint is an error. Default: ``True``.
    """
    seed: int
    """Seed of all random numbers. Default: ``0``."""
    output: OutputArguments | Mapping[str, Any]
    """What is written while running."""


class OutputArguments(TypedDict, total=False):
    """What is written while running."""

    every: float | None
    """Interval between probe rows [s]. Default: the larger of 0.01 s and ``dt``."""
    checkpoint_every: float | None
    """Interval of checkpoints in simulated time [s]. Default: none."""
    recording: RecordingArguments | Mapping[str, Any]
    """The recording that viewers and renderers play."""


class RecordingArguments(TypedDict, total=False):
    """The recording ``run.hrec`` of a run."""

    enabled: bool
    """Whether there is one. Default: ``True``."""
    every: float | None
    """Interval between frames in simulated time [s]. Default: the smaller of 1/60 s and 1/200 of the run."""
    budget_mb: float
    """Size the file stays below [MB]: when it is reached every second frame goes, and the interval doubles.
    Default: ``2000``.
    """


class Contact(Spec):
    """All settings of contact."""

    __slots__ = ()

    def __init__(
        self,
        law: Literal["rigid", "compliant"] | None = None,
        *,
        envelope: float | None = None,
        solver: Literal["apgd", "psor", "interior_point"] | None = None,
        max_iterations: int | None = None,
        tolerance: float | None = None,
        warm_start: bool | None = None,
        relaxation: float | None = None,
        stabilization: float | None = None,
        overlap: float | None = None,
        recovery_speed: float | None = None,
        bounce_threshold: float | None = None,
        friction: Literal["coulomb", "relaxed"] | None = None,
        friction_iterations: int | None = None,
        joints: Literal["direct", "rows"] | None = None,
        on_failure: Literal["accept", "warn", "stop"] | None = None,
        compliant: CompliantModel | Mapping[str, Any] | None = None,
    ) -> None:
        r"""Build the description.

        Args:
            law: The contact law. Default: ``"rigid"``.
            envelope: Gap below which a contact is treated before surfaces touch [m]; by default 0.1 % of
                the sum of the two bounding radii. What bodies can travel in one step is added.
            solver: Solver of the cone problem. Default: ``"apgd"``.
            max_iterations: Most iterations of a step. Default: ``100``.
            tolerance: Residual at which to stop [m/s]; by default 0.002 of the speed gravity gives in a
                step.
            warm_start: Whether the impulses of the step before are the first guess. Default: ``True``.
            relaxation: Over-relaxation of ``psor``, above 0 and below 2. Default: ``1``.
            stabilization: Part of an overlap that is removed in a step, above 0 and at most 1. Default:
                ``0.1``.
            overlap: Overlap at which contacts rest [m]; by default 5e-6 of the smaller shape, so that
                resting contacts do not flicker.
            recovery_speed: Most speed with which overlaps are pushed apart [m/s]; by default half of
                $\sqrt{gR}$ of a typical shape.
            bounce_threshold: Approach speed below which nothing bounces [m/s]; by default twice the speed
                gravity gives in a step.
            friction: Coulomb's law or its relaxation. Default: ``"coulomb"``.
            friction_iterations: Most relaxed problems that ``interior_point`` solves for Coulomb's law;
                the other solvers have it inside. Default: ``20``.
            joints: How joints are treated. Default: ``"direct"``.
            on_failure: What happens when the tolerance is not reached, or a joint or limit does not hold.
                A joint that is open by more than the mechanism is large ends the run unless this is
                ``accept``. Default: ``"warn"``.
            compliant: Laws that the compliant law is composed of.
        """
        super().__init__(
            law=law,
            envelope=envelope,
            rigid=gathered(None, {"solver": solver, "max_iterations": max_iterations, "tolerance": tolerance, "warm_start": warm_start, "relaxation": relaxation, "stabilization": stabilization, "overlap": overlap, "recovery_speed": recovery_speed, "bounce_threshold": bounce_threshold, "friction": friction, "friction_iterations": friction_iterations, "joints": joints, "on_failure": on_failure}),
            compliant=compliant,
        )


class LoadPathSettings(Spec):
    """How static equilibria of structures are found."""

    __slots__ = ()

    def __init__(
        self,
        *,
        type: Literal["load_steps", "arc_length"] | None = None,
        steps: int | None = None,
        max_factor: float | None = None,
        max_steps: int | None = None,
        max_length: float | None = None,
        tolerance: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            type: How the loads rise. Default: ``"load_steps"``.
            steps: The first step is ``max_factor`` divided by this. Default: ``10``.
            max_factor: Factor of gravity and loads at which the path ends. Default: ``1``.
            max_steps: Steps after which the path ends. Default: ``1000``.
            max_length: Maximum arc-length step, as the mean displacement of the mass [m]. Default: ten
                times the first step.
            tolerance: Unbalanced force, relative to the largest force that acts. Default: ``1e-9``.
        """
        super().__init__(
            type=type,
            steps=steps,
            max_factor=max_factor,
            max_steps=max_steps,
            max_length=max_length,
            tolerance=tolerance,
        )


class ModesSettings(Spec):
    """Which natural frequencies or buckling loads of structures are found."""

    __slots__ = ()

    def __init__(self, *, count: int | None = None, near: float | None = None) -> None:
        """Build the description.

        Args:
            count: How many. Default: ``10``.
            near: Frequency they are nearest to [Hz]. Default: ``0``.
        """
        super().__init__(count=count, near=near)


class NewtonSettings(Spec):
    """Settings of Newton's method in the implicit integrators."""

    __slots__ = ()

    def __init__(
        self,
        *,
        tolerance: float | None = None,
        acceleration_tolerance: float | None = None,
        max_iterations: int | None = None,
        refresh: Literal["adaptive", "every_step", "every_iteration"] | None = None,
        solver: LinearSolver | Mapping[str, Any] | None = None,
    ) -> None:
        """Build the description.

        Args:
            tolerance: Largest position error left by the iteration [m or rad]. Default: ``1e-10``.
            acceleration_tolerance: Largest error of accelerations and of reactions left by the iteration,
                relative to the largest of them. Default: ``1e-7``.
            max_iterations: Iterations after which the step fails. Default: ``40``.
            refresh: When the matrix is rebuilt. Default: ``"adaptive"``.
            solver: How its linear systems are solved (those of ``euler`` too).
        """
        super().__init__(
            tolerance=tolerance,
            acceleration_tolerance=acceleration_tolerance,
            max_iterations=max_iterations,
            refresh=refresh,
            solver=solver,
        )


class StepControl(Spec):
    """Step-size control by the local error of the positions, for the index-3 integrators."""

    __slots__ = ()

    def __init__(self, tolerance: float, min_step: float, max_step: float) -> None:
        """Build the description.

        Args:
            tolerance: Local error allowed in one step [m or rad].
            min_step: Smallest step [s].
            max_step: Largest step [s].
        """
        super().__init__(tolerance=tolerance, min_step=min_step, max_step=max_step)


class RigidContact(Spec):
    """Settings of rigid contact."""

    __slots__ = ()

    def __init__(
        self,
        *,
        solver: Literal["apgd", "psor", "interior_point"] | None = None,
        max_iterations: int | None = None,
        tolerance: float | None = None,
        warm_start: bool | None = None,
        relaxation: float | None = None,
        stabilization: float | None = None,
        overlap: float | None = None,
        recovery_speed: float | None = None,
        bounce_threshold: float | None = None,
        friction: Literal["coulomb", "relaxed"] | None = None,
        friction_iterations: int | None = None,
        joints: Literal["direct", "rows"] | None = None,
        on_failure: Literal["accept", "warn", "stop"] | None = None,
    ) -> None:
        r"""Build the description.

        Args:
            solver: Solver of the cone problem. Default: ``"apgd"``.
            max_iterations: Most iterations of a step. Default: ``100``.
            tolerance: Residual at which to stop [m/s]; by default 0.002 of the speed gravity gives in a
                step.
            warm_start: Whether the impulses of the step before are the first guess. Default: ``True``.
            relaxation: Over-relaxation of ``psor``, above 0 and below 2. Default: ``1``.
            stabilization: Part of an overlap that is removed in a step, above 0 and at most 1. Default:
                ``0.1``.
            overlap: Overlap at which contacts rest [m]; by default 5e-6 of the smaller shape, so that
                resting contacts do not flicker.
            recovery_speed: Most speed with which overlaps are pushed apart [m/s]; by default half of
                $\sqrt{gR}$ of a typical shape.
            bounce_threshold: Approach speed below which nothing bounces [m/s]; by default twice the speed
                gravity gives in a step.
            friction: Coulomb's law or its relaxation. Default: ``"coulomb"``.
            friction_iterations: Most relaxed problems that ``interior_point`` solves for Coulomb's law;
                the other solvers have it inside. Default: ``20``.
            joints: How joints are treated. Default: ``"direct"``.
            on_failure: What happens when the tolerance is not reached, or a joint or limit does not hold.
                A joint that is open by more than the mechanism is large ends the run unless this is
                ``accept``. Default: ``"warn"``.
        """
        super().__init__(
            solver=solver,
            max_iterations=max_iterations,
            tolerance=tolerance,
            warm_start=warm_start,
            relaxation=relaxation,
            stabilization=stabilization,
            overlap=overlap,
            recovery_speed=recovery_speed,
            bounce_threshold=bounce_threshold,
            friction=friction,
            friction_iterations=friction_iterations,
            joints=joints,
            on_failure=on_failure,
        )


class CompliantModel(Spec):
    """The laws a compliant contact is composed of."""

    __slots__ = ()

    def __init__(
        self,
        *,
        normal: Literal["hertz"] | Mapping[str, Any] | None = None,
        damping: Literal["none", "viscous", "restitution", "hunt_crossley", "lankarani_nikravesh", "flores", "hysteresis_exact"] | None = None,
        tangential: Literal["none"] | Literal["one_step"] | Literal["history"] | Literal["mindlin"] | Literal["mindlin_rescaled"] | Mapping[str, Any] | None = None,
        rolling: Literal["none"] | Mapping[str, Any] | None = None,
        spinning: Literal["none"] | Mapping[str, Any] | None = None,
        adhesion: Literal["none", "constant", "dmt", "perko", "sjkr"] | None = None,
        flat_radius: float | None = None,
        slow_impact: float | None = None,
    ) -> None:
        """Build the description.

        Args:
            normal: Elastic normal force. Default: ``"hertz"``.
            damping: Normal damping. Default: ``"restitution"``.
            tangential: Friction. Default: ``"history"``.
            rolling: Resistance to rolling.
            spinning: Resistance to spinning about the normal.
            adhesion: Adhesion. Default: ``"constant"``.
            flat_radius: Effective radius [m] where both surfaces are flat. Default: ``0.1``.
            slow_impact: Least impact speed [m/s] of the hysteresis laws, which divide by it. Default:
                ``0.001``.
        """
        super().__init__(
            normal=normal,
            damping=damping,
            tangential=tangential,
            rolling=rolling,
            spinning=spinning,
            adhesion=adhesion,
            flat_radius=flat_radius,
            slow_impact=slow_impact,
        )


class LinearSolver(Spec):
    """How the linear systems of implicit steps are solved."""

    __slots__ = ()

    @classmethod
    def block(cls) -> Self:
        """Block LU that eliminates along the mechanism: linear cost for chains and trees, the fastest for
        joints.
        """
        return cls(type="block")

    @classmethod
    def sparse_lu(cls) -> Self:
        """General sparse LU with pivoting, symbolic analysis reused."""
        return cls(type="sparse_lu")

    @classmethod
    def sparse_cholesky(cls) -> Self:
        """Sparse LDLᵀ in an order of nested dissection (george1973): meshes. Takes the matrix as symmetric and
        refines.
        """
        return cls(type="sparse_cholesky")

    @classmethod
    def cg(cls, *, tolerance: float | None = None, max_iterations: int | None = None) -> Self:
        """Conjugate gradients (hestenes1952) with an incomplete factor: large meshes of solids whose supports
        are fixed nodes. Takes no joints or other constraint rows.

        Args:
            tolerance: Residual relative to the right-hand side. Default: ``1e-10``.
            max_iterations: Most iterations. Default: ``2000``.
        """
        return cls(type="cg", tolerance=tolerance, max_iterations=max_iterations)

    @classmethod
    def gmres(
        cls,
        *,
        tolerance: float | None = None,
        max_iterations: int | None = None,
        restart: int | None = None,
    ) -> Self:
        """Restarted GMRES (saad1986), preconditioned by the diagonal.

        Args:
            tolerance: Residual relative to the right-hand side. Default: ``1e-10``.
            max_iterations: Most iterations. Default: ``2000``.
            restart: Iterations between restarts. Default: ``100``.
        """
        return cls(type="gmres", tolerance=tolerance, max_iterations=max_iterations, restart=restart)

    @classmethod
    def bicgstab(cls, *, tolerance: float | None = None, max_iterations: int | None = None) -> Self:
        """BiCGStab (vandervorst1992), preconditioned by the diagonal.

        Args:
            tolerance: Residual relative to the right-hand side. Default: ``1e-10``.
            max_iterations: Most iterations. Default: ``2000``.
        """
        return cls(type="bicgstab", tolerance=tolerance, max_iterations=max_iterations)

    @classmethod
    def minres(cls, *, tolerance: float | None = None, max_iterations: int | None = None) -> Self:
        """MINRES (paige1975), preconditioned by the diagonal; takes the matrix as symmetric, which it is but for
        gyroscopic terms that Newton's method then corrects.

        Args:
            tolerance: Residual relative to the right-hand side. Default: ``1e-10``.
            max_iterations: Most iterations. Default: ``2000``.
        """
        return cls(type="minres", tolerance=tolerance, max_iterations=max_iterations)
