"""Functions written as formulas: evaluated exactly where they are rational, in intervals everywhere, and differentiated.

An expression is a small tree; nothing is parsed or executed.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct.targets._intervals import Interval
from plica.construct.targets._numbers import Number, rational
from plica.errors import InvalidInput


class Expression:
    """A formula in the variables x_0, x_1, ...; see :func:`variables`, :func:`sin`, :func:`cos`, :func:`exp`, :func:`log`,
    :func:`sqrt`.

    Examples
    --------
    >>> x, y = variables(2)
    >>> f = exp(x) * (y - 1) ** 2
    >>> f.derivative(1)
    (2 * (exp(x0) * (x1 + -1)))
    >>> float(f(np.array([[0.0, 3.0]]))[0])
    4.0
    """

    def __add__(self, other: Expression | Number) -> Expression:
        return _sum(self, expression(other))

    def __mul__(self, other: Expression | Number) -> Expression:
        return _product(self, expression(other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Expression:
        return self * -1

    def __sub__(self, other: Expression | Number) -> Expression:
        return self + -expression(other)

    def __rsub__(self, other: Number) -> Expression:
        return expression(other) - self

    def __truediv__(self, other: Expression | Number) -> Expression:
        return self * expression(other) ** -1

    def __rtruediv__(self, other: Number) -> Expression:
        return expression(other) / self

    def __pow__(self, n: int) -> Expression:
        if isinstance(n, bool) or not isinstance(n, int):
            raise InvalidInput(f"powers of expressions are integers, got {n!r}.", hint="sqrt(x), or exp(a * log(x))")
        return _power(self, n)

    def __abs__(self) -> Expression:
        return Function("abs", self)

    @property
    def n_variables(self) -> int:
        """One more than the largest index of a variable."""
        return max((part.n_variables for part in self.parts), default=0)

    @property
    def parts(self) -> tuple[Expression, ...]:
        return ()

    def enclose(self, x: Sequence[Interval]) -> Interval:
        """An interval that holds all values for variables in the given intervals."""
        raise NotImplementedError

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        """The value at a rational point, None where it is not computed in rationals."""
        raise NotImplementedError

    def derivative(self, i: int) -> Expression:
        """The partial derivative by x_i."""
        raise NotImplementedError

    def substitute(self, values: Sequence[Expression]) -> Expression:
        """The expression with formulas in the places of its variables."""
        raise NotImplementedError

    def __call__(self, x: Any) -> Array:
        """Values at rows of points, in floating point."""
        rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
        return np.broadcast_to(self.value([rows[:, i] for i in range(rows.shape[1])]), len(rows)).copy()

    def value(self, x: Sequence[Array]) -> Array:
        """Values in floating point, one array for each variable."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Constant(Expression):
    number: Fraction

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return Interval.of(self.number)

    def value(self, x: Sequence[Array]) -> Array:
        return np.asarray(float(self.number))

    def exact(self, x: Sequence[Fraction]) -> Fraction:
        return self.number

    def derivative(self, i: int) -> Expression:
        return ZERO

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return self

    def __repr__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, repr=False)
class Variable(Expression):
    index: int

    @property
    def n_variables(self) -> int:
        return self.index + 1

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return x[self.index]

    def value(self, x: Sequence[Array]) -> Array:
        return x[self.index]

    def exact(self, x: Sequence[Fraction]) -> Fraction:
        return x[self.index]

    def derivative(self, i: int) -> Expression:
        return ONE if i == self.index else ZERO

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return values[self.index]

    def __repr__(self) -> str:
        return f"x{self.index}"


@dataclass(frozen=True, repr=False)
class Sum(Expression):
    terms: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.terms

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return reduce(operator.add, (t.enclose(x) for t in self.terms))

    def value(self, x: Sequence[Array]) -> Array:
        return reduce(operator.add, (t.value(x) for t in self.terms))

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        values = [t.exact(x) for t in self.terms]
        return None if any(v is None for v in values) else sum((v for v in values if v is not None), Fraction(0))

    def derivative(self, i: int) -> Expression:
        return reduce(_sum, (t.derivative(i) for t in self.terms))

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return reduce(_sum, (t.substitute(values) for t in self.terms))

    def __repr__(self) -> str:
        return "(" + " + ".join(map(repr, self.terms)) + ")"


@dataclass(frozen=True, repr=False)
class Product(Expression):
    left: Expression
    right: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.left, self.right)

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return self.left.enclose(x) * self.right.enclose(x)

    def value(self, x: Sequence[Array]) -> Array:
        return self.left.value(x) * self.right.value(x)

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        a, b = self.left.exact(x), self.right.exact(x)
        return None if a is None or b is None else a * b

    def derivative(self, i: int) -> Expression:
        return self.left.derivative(i) * self.right + self.left * self.right.derivative(i)

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return self.left.substitute(values) * self.right.substitute(values)

    def __repr__(self) -> str:
        return f"({self.left!r} * {self.right!r})"


@dataclass(frozen=True, repr=False)
class Power(Expression):
    base: Expression
    n: int

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.base,)

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return self.base.enclose(x) ** self.n

    def value(self, x: Sequence[Array]) -> Array:
        return self.base.value(x) ** float(self.n)

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        value = self.base.exact(x)
        return None if value is None or (value == 0 and self.n < 0) else value**self.n

    def derivative(self, i: int) -> Expression:
        return _power(self.base, self.n - 1) * self.n * self.base.derivative(i)

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return _power(self.base.substitute(values), self.n)

    def __repr__(self) -> str:
        return f"{self.base!r} ** {self.n}"


@dataclass(frozen=True, repr=False)
class Function(Expression):
    name: str  # sin, cos, exp, log, sqrt, abs; sign and jump stand for the derivatives of abs
    argument: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.argument,)

    def enclose(self, x: Sequence[Interval]) -> Interval:
        inner = self.argument.enclose(x)
        if self.name == "sign":
            return Interval(np.where(inner.low > 0, 1.0, -1.0), np.where(inner.high < 0, -1.0, 1.0))
        if self.name == "jump":  # zero off the jump, unbounded on it: every enclosure stays true
            jumps = (inner.low <= 0) & (inner.high >= 0)
            return Interval(np.where(jumps, -np.inf, 0.0), np.where(jumps, np.inf, 0.0))
        names = {
            "sin": inner.sin,
            "cos": inner.cos,
            "exp": inner.exp,
            "log": inner.log,
            "sqrt": inner.sqrt,
            "abs": inner.absolute,
        }
        return names[self.name]()

    def value(self, x: Sequence[Array]) -> Array:
        inner = self.argument.value(x)
        names = {"sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign}
        return np.asarray(names[self.name](inner)) if self.name in names else np.zeros_like(inner)

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        inner = self.argument.exact(x)
        if inner is None:
            return None
        if self.name == "abs":
            return abs(inner)
        if inner == 0 and self.name in ("sin", "cos", "exp", "sqrt"):
            return Fraction(1 if self.name in ("cos", "exp") else 0)
        if self.name == "log" and inner == 1:
            return Fraction(0)
        return None

    def derivative(self, i: int) -> Expression:
        inner = self.argument.derivative(i)
        if inner == ZERO:
            return ZERO
        if self.name in ("sign", "jump"):
            return Function("jump", self.argument) * inner
        outer = {
            "sin": Function("cos", self.argument),
            "cos": Function("sin", self.argument) * -1,
            "exp": self,
            "log": _power(self.argument, -1),
            "abs": Function("sign", self.argument),
        }
        return (outer[self.name] if self.name in outer else _power(self, -1) * Fraction(1, 2)) * inner

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return Function(self.name, self.argument.substitute(values))

    def __repr__(self) -> str:
        return f"{self.name}({self.argument!r})"


@dataclass(frozen=True, repr=False)
class Pi(Expression):
    """The number pi, which is no fraction."""

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return Interval(np.asarray(np.pi), np.nextafter(np.asarray(np.pi), 4.0))  # the nearest float is below pi

    def value(self, x: Sequence[Array]) -> Array:
        return np.asarray(np.pi)

    def exact(self, x: Sequence[Fraction]) -> None:
        return None

    def derivative(self, i: int) -> Expression:
        return ZERO

    def substitute(self, values: Sequence[Expression]) -> Expression:
        return self

    def __repr__(self) -> str:
        return "pi"


PI = Pi()
ZERO, ONE = Constant(Fraction(0)), Constant(Fraction(1))


def expression(value: Expression | Number) -> Expression:
    """An expression as it is, a number as a constant."""
    return value if isinstance(value, Expression) else Constant(rational(value))


def variables(n: int) -> tuple[Expression, ...]:
    """The variables x_0, ..., x_{n-1}.

    Examples
    --------
    >>> variables(2)
    (x0, x1)
    """
    return tuple(Variable(i) for i in range(n))


def sin(x: Expression | Number) -> Expression:
    """The sine of an expression."""
    return Function("sin", expression(x))


def cos(x: Expression | Number) -> Expression:
    """The cosine of an expression."""
    return Function("cos", expression(x))


def exp(x: Expression | Number) -> Expression:
    """The exponential of an expression."""
    return Function("exp", expression(x))


def log(x: Expression | Number) -> Expression:
    """The natural logarithm of an expression."""
    return Function("log", expression(x))


def sqrt(x: Expression | Number) -> Expression:
    """The square root of an expression."""
    return Function("sqrt", expression(x))


def _sum(a: Expression, b: Expression) -> Expression:
    if isinstance(a, Constant) and isinstance(b, Constant):
        return Constant(a.number + b.number)
    if a == ZERO or b == ZERO:
        return b if a == ZERO else a
    terms = (*(a.terms if isinstance(a, Sum) else (a,)), *(b.terms if isinstance(b, Sum) else (b,)))
    constant = sum((t.number for t in terms if isinstance(t, Constant)), Fraction(0))
    rest = tuple(t for t in terms if not isinstance(t, Constant))
    return Sum((*rest, Constant(constant)) if constant else rest) if len(rest) > 1 or constant else rest[0]


def _product(a: Expression, b: Expression) -> Expression:
    if isinstance(b, Constant):
        a, b = b, a
    if isinstance(a, Constant):
        if isinstance(b, Constant):
            return Constant(a.number * b.number)
        if a.number in (0, 1):
            return b if a.number else ZERO
        if isinstance(b, Product) and isinstance(b.left, Constant):
            return _product(Constant(a.number * b.left.number), b.right)
    elif isinstance(b, Product) and isinstance(b.left, Constant):
        return _product(b.left, _product(a, b.right))
    return Product(a, b)


def _power(base: Expression, n: int) -> Expression:
    if n == 0:
        return ONE
    if n == 1:
        return base
    if isinstance(base, Constant) and (base.number or n > 0):
        return Constant(base.number**n)
    return Power(base, n)
