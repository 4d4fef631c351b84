"""Signals, the sensors they read, and probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._plain import Spec
from .values import FunctionLike, Ref, Vector

if TYPE_CHECKING:
    from typing_extensions import Self


__all__ = ["Probe", "Sensor", "Signal"]


class Sensor(Spec):
    """A measured number: a ``quantity`` such as ``"position.x"`` of an object."""

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
        super().__init__(of=of, quantity=quantity, point=point, side=side, axes=axes)


class Signal(Spec):
    """A named signal; motors and forces follow it as ``Signal.ref(name)``."""

    __slots__ = ()

    @staticmethod
    def ref(name: Ref) -> Mapping[str, Any]:
        """Refer to a signal where a motor or a force takes a drive."""
        return {"signal": name}

    @classmethod
    def function(cls, name: str, function: FunctionLike, *, input: Ref | None = None) -> Self:
        """Function of time, or of another signal."""
        return cls(name=name, type="function", function=function, input=input)

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
        """Measured quantity."""
        return cls(name=name, type="sensor", sensor=Sensor(of, quantity, point=point, side=side, axes=axes))

    @classmethod
    def gain(cls, name: str, input: Ref, gain: float, *, offset: float | None = None) -> Self:
        """Scaled signal."""
        return cls(name=name, type="gain", input=input, gain=gain, offset=offset)

    @classmethod
    def sum(
        cls,
        name: str,
        inputs: Sequence[Ref],
        *,
        weights: Vector | None = None,
        offset: float | None = None,
    ) -> Self:
        """Weighted sum."""
        return cls(name=name, type="sum", inputs=inputs, weights=weights, offset=offset)

    @classmethod
    def product(cls, name: str, inputs: Sequence[Ref]) -> Self:
        """Product."""
        return cls(name=name, type="product", inputs=inputs)

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
        """Table of another signal."""
        return cls(
            name=name,
            type="lookup",
            input=input,
            abscissae=abscissae,
            values=values,
            interpolation=interpolation,
            extrapolation=extrapolation,
        )

    @classmethod
    def saturation(cls, name: str, input: Ref, *, lower: float | None = None, upper: float | None = None) -> Self:
        """Signal kept between limits."""
        return cls(name=name, type="saturation", input=input, lower=lower, upper=upper)

    @classmethod
    def pid(
        cls,
        name: str,
        reference: Ref,
        measurement: Ref,
        *,
        kp: float,
        ki: float | None = None,
        kd: float | None = None,
        filter_time: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        anti_windup: Mapping[str, Any] | None = None,
        initial_integral: float | None = None,
        initial_error: float | None = None,
    ) -> Self:
        """Controller with proportional, integral and derivative terms."""
        return cls(
            name=name,
            type="pid",
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
        """Linear system given by a ratio of polynomials, the highest power first."""
        return cls(name=name, type="transfer_function", input=input, numerator=numerator, denominator=denominator)

    @classmethod
    def filter(cls, name: str, input: Ref, time_constant: float, *, initial: float | None = None) -> Self:
        """First-order low-pass filter; time constant [s]."""
        return cls(name=name, type="filter", input=input, time_constant=time_constant, initial=initial)

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
        """A number set from outside while the simulation goes on: ``handle.value = x``, a slider, or two keys."""
        return cls(name=name, type="input", value=value, lower=lower, upper=upper, keys=keys)

    @classmethod
    def state(cls, name: str, block: Ref, index: int = 0) -> Self:
        """One of the states of a block with memory."""
        return cls(name=name, type="state", block=block, index=index)


class Probe(Spec):
    """A quantity that is recorded: of an object, of ``"world"``, or of a signal.

    A quantity of contact, such as ``"contact_force"`` of a body, counts only contacts with the body ``with_``.
    """

    __slots__ = ()

    def __init__(
        self,
        of: Ref | None = None,
        quantity: str | None = None,
        *,
        signal: Ref | None = None,
        name: str | None = None,
        point: Vector | None = None,
        side: Literal["a", "b"] | None = None,
        axes: Literal["joint", "world"] | None = None,
        with_: Ref | None = None,
        file: str | None = None,
    ) -> None:
        keys = {"of": of, "quantity": quantity, "signal": signal, "name": name, "point": point}
        super().__init__(**keys, side=side, axes=axes, **{"with": with_}, file=file)
