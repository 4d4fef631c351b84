"""Signals, the sensors they read, and probes.

Generated from the schema of scene files by `cargo xtask generate`; changes are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._plain import Spec, gathered
from .._shortcuts import SignalShortcuts

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from typing_extensions import Self

    from .._values import FunctionLike, Ref, Vector

__all__ = [
    "AntiWindup",
    "Probe",
    "Sensor",
    "Signal",
]


class Sensor(Spec):
    """A measured number."""

    __slots__ = ()

    def __init__(
        self,
        of: Ref,
        quantity: str,
        *,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
    ) -> None:
        """Build the description.

        Args:
            of: Name of a body (``body`` or ``body/marker``), joint, motor, coupling, force or shaft.
            quantity: The quantity, such as ``position.x``, ``angle``, ``angle_rate``,
                ``reaction_force.z``, ``torque`` or ``speed``.
            point: Point of a body in its frame [m]. Default: the marker, or the origin.
            side: Body a joint's reaction acts on. Default: ``"b"``.
            axes: Axes of a joint's reaction. Default: ``"joint"``.
        """
        super().__init__(of=of, quantity=quantity, point=point, side=side, axes=axes)


class Signal(SignalShortcuts):
    """A named signal."""

    __slots__ = ()
    _section = "signals"

    @classmethod
    def function(cls, name: str, function: FunctionLike, *, input: Ref | None = None) -> Self:
        """Function of time, or of another signal.

        Args:
            name: Unique name among the signals.
            function: The function.
            input: Signal to take instead of time.
        """
        return cls(type="function", name=name, function=function, input=input)

    @classmethod
    def sensor(
        cls,
        name: str,
        of: Ref,
        quantity: str,
        *,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
    ) -> Self:
        """Measured quantity.

        Args:
            name: Unique name among the signals.
            of: Name of a body (``body`` or ``body/marker``), joint, motor, coupling, force or shaft.
            quantity: The quantity, such as ``position.x``, ``angle``, ``angle_rate``,
                ``reaction_force.z``, ``torque`` or ``speed``.
            point: Point of a body in its frame [m]. Default: the marker, or the origin.
            side: Body a joint's reaction acts on. Default: ``"b"``.
            axes: Axes of a joint's reaction. Default: ``"joint"``.
        """
        return cls(
            type="sensor",
            name=name,
            sensor=gathered(None, {"of": of, "quantity": quantity, "point": point, "side": side, "axes": axes}),
        )

    @classmethod
    def gain(cls, name: str, input: Ref, gain: float, *, offset: float | None = None) -> Self:
        """Scaled signal ``y = k u + o``.

        Args:
            name: Unique name among the signals.
            input: Signal read.
            gain: Factor ``k``.
            offset: Offset ``o``. Default: ``0``.
        """
        return cls(type="gain", name=name, input=input, gain=gain, offset=offset)

    @classmethod
    def sum(
        cls,
        name: str,
        inputs: Sequence[Ref],
        *,
        weights: Vector | None = None,
        offset: float | None = None,
    ) -> Self:
        """Weighted sum ``y = o + Σ w_i u_i``.

        Args:
            name: Unique name among the signals.
            inputs: Signals read.
            weights: Weights, one for each input; all 1 if absent.
            offset: Offset ``o``. Default: ``0``.
        """
        return cls(type="sum", name=name, inputs=inputs, weights=weights, offset=offset)

    @classmethod
    def product(cls, name: str, inputs: Sequence[Ref]) -> Self:
        """Product ``y = Π u_i``.

        Args:
            name: Unique name among the signals.
            inputs: Signals read.
        """
        return cls(type="product", name=name, inputs=inputs)

    @classmethod
    def lookup(
        cls,
        name: str,
        input: Ref,
        abscissae: Vector,
        values: Vector,
        *,
        interpolation: Literal["linear", "cubic", "akima"] | None = None,
        extrapolation: Literal["hold", "linear", "periodic"] | None = None,
    ) -> Self:
        """Table of another signal.

        Args:
            name: Unique name among the signals.
            input: Signal read.
            abscissae: Values of the input, strictly increasing.
            values: Values of the output, as many as abscissae.
            interpolation: How to fill between the points. Default: ``"linear"``.
            extrapolation: What happens outside the points. Default: ``"hold"``.
        """
        return cls(
            type="lookup",
            name=name,
            input=input,
            abscissae=abscissae,
            values=values,
            interpolation=interpolation,
            extrapolation=extrapolation,
        )

    @classmethod
    def saturation(cls, name: str, input: Ref, *, lower: float | None = None, upper: float | None = None) -> Self:
        """Signal kept between limits.

        Args:
            name: Unique name among the signals.
            input: Signal read.
            lower: Lower limit; none if absent.
            upper: Upper limit; none if absent.
        """
        return cls(type="saturation", name=name, input=input, lower=lower, upper=upper)

    @classmethod
    def pid(
        cls,
        name: str,
        reference: Ref,
        measurement: Ref,
        kp: float,
        *,
        ki: float | None = None,
        kd: float | None = None,
        filter_time: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        anti_windup: AntiWindup | Mapping[str, Any] | None = None,
        initial_integral: float | None = None,
        initial_error: float | None = None,
    ) -> Self:
        """Controller with proportional, integral and derivative terms.

        Args:
            name: Unique name among the signals.
            reference: Signal to follow.
            measurement: Signal to bring there.
            kp: Proportional gain ``k_p``.
            ki: Integral gain ``k_i`` [1/s]. Default: ``0``.
            kd: Derivative gain ``k_d`` [s]. Default: ``0``.
            filter_time: Time constant ``T_f`` of the derivative's filter [s]; needed if ``kd`` is not
                zero.
            lower: Lower limit of the output; none if absent.
            upper: Upper limit of the output; none if absent.
            anti_windup: What the integral does while the output is at a limit.
            initial_integral: Integral term at the start; a constant offset if ``ki`` is zero. Default:
                ``0``.
            initial_error: Error the derivative's filter starts from; the true first error avoids a kick.
                Default: ``0``.
        """
        return cls(
            type="pid",
            name=name,
            reference=reference,
            measurement=measurement,
            kp=kp,
            ki=ki,
            kd=kd,
            filter_time=filter_time,
            lower=lower,
            upper=upper,
            anti_windup=anti_windup,
            initial_integral=initial_integral,
            initial_error=initial_error,
        )

    @classmethod
    def transfer_function(cls, name: str, input: Ref, numerator: Vector, denominator: Vector) -> Self:
        """Linear system given by a ratio of polynomials.

        Args:
            name: Unique name among the signals.
            input: Signal read.
            numerator: Coefficients of the numerator, the highest power first.
            denominator: Coefficients of the denominator, the highest power first.
        """
        return cls(type="transfer_function", name=name, input=input, numerator=numerator, denominator=denominator)

    @classmethod
    def filter(cls, name: str, input: Ref, time_constant: float, *, initial: float | None = None) -> Self:
        """First-order low-pass filter ``T ẏ = u − y``.

        Args:
            name: Unique name among the signals.
            input: Signal read.
            time_constant: Time constant ``T`` [s].
            initial: Output at the start. Default: ``0``.
        """
        return cls(type="filter", name=name, input=input, time_constant=time_constant, initial=initial)

    @classmethod
    def input(
        cls,
        name: str,
        value: float | None = None,
        *,
        lower: float | None = None,
        upper: float | None = None,
        keys: Sequence[str] | None = None,
    ) -> Self:
        """A number set from outside while the simulation runs: by a program, a slider or keys.

        Args:
            name: Unique name among the signals.
            value: Value at the start. Default: ``0``.
            lower: Least value. Default: ``-1``.
            upper: Greatest value. Default: ``1``.
            keys: Keys that lower and raise it in the viewer, named as browsers name them, such as
                ``ArrowLeft``.
        """
        return cls(type="input", name=name, value=value, lower=lower, upper=upper, keys=keys)

    @classmethod
    def state(cls, name: str, block: Ref, index: int = 0) -> Self:
        """One of the states of a block with memory.

        Args:
            name: Unique name among the signals.
            block: Name of the block.
            index: Which of its states, from 0. Default: ``0``.
        """
        return cls(type="state", name=name, block=block, index=index)


class Probe(Spec):
    """A quantity written to a time series: of an object, of the world, or of a signal.

    A vector quantity without a component, such as ``position``, becomes one column for each.
    """

    __slots__ = ()
    _section = "probes"

    def __init__(
        self,
        of: Ref | None = None,
        quantity: str | None = None,
        *,
        name: str | None = None,
        signal: Ref | None = None,
        point: Vector | None = None,
        radius: float | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
        with_: Ref | None = None,
        element: str | int | Sequence[str | int] | None = None,
        at: float | None = None,
        file: str | os.PathLike[str] | None = None,
    ) -> None:
        """Build the description.

        Args:
            of: Name of a body (``body`` or ``body/marker``), joint, motor, coupling, force, shaft,
                structure or node of one (``structure/node``), or ``world``.
            quantity: The quantity; of the world: ``energy``, ``kinetic_energy``, ``potential_energy``,
                ``elastic_energy``, ``constraint_residual``, ``contact_count``, ``contact_force``,
                ``penetration``.
            name: Name of its columns. Default: made of ``of`` and ``quantity``.
            signal: Name of a signal; instead of ``of`` and ``quantity``.
            point: Point of a body in its frame [m]; the marker, or the origin, if absent. Point in the
                world of a quantity of a fluid, or of the pressure on a wall or body of it, where that is at
                the start.
            radius: Radius of a pressure gauge on a wall or body of a fluid [m]. Default: half a spacing.
            side: Body a joint's reaction acts on. Default: ``"b"``.
            axes: Axes of a joint's reaction. Default: ``"joint"``.
            with_: Second body of a contact quantity: only contacts with it count.
            element: Element of a structure: its number in the mesh, or a set of one element.
            at: Place along the element of a line, from 0 to 1. Default: the middle.
            file: Time series it goes to, the name of a CSV file without its ending. Default: ``probes``.
        """
        super().__init__(
            name=name,
            of=of,
            quantity=quantity,
            signal=signal,
            point=point,
            radius=radius,
            side=side,
            axes=axes,
            element=element,
            at=at,
            file=file,
            **{"with": with_},
        )


class AntiWindup(Spec):
    """What the integral term ``i`` of a PID does while its output ``u`` differs from the unlimited ``v``."""

    __slots__ = ()

    @classmethod
    def none(cls) -> Self:
        """``di/dt = k_i e`` always: the integral winds up."""
        return cls(type="none")

    @classmethod
    def clamping(cls) -> Self:
        """``di/dt = 0`` while the output is at a limit and ``k_i e`` pushes it further out, else ``k_i e``."""
        return cls(type="clamping")

    @classmethod
    def back_calculation(cls, tracking_time: float) -> Self:
        """``di/dt = k_i e + (u − v)/T_t``: the excess bleeds off, without a switch (``astrom2006``).

        Args:
            tracking_time: Tracking time ``T_t`` [s].
        """
        return cls(type="back_calculation", tracking_time=tracking_time)
