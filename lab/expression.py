"""Small expressions over arrays by name: ``score[8] > 0 and max(score) < 4``.

A teacher's question says by one of them which option is right: the figure's values decide. Only what is
listed here is evaluated: no attributes, no names but those given, no functions but these.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

LONGEST = 400
DEEPEST = 24
LARGEST_POWER = 64

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": np.abs, "min": np.min, "max": np.max, "sum": np.sum, "mean": np.mean, "len": len,
    "round": np.round, "argmin": np.argmin, "argmax": np.argmax, "sqrt": np.sqrt,
    "any": np.any, "all": np.all,
}  # fmt: skip
_OPERATIONS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.USub: operator.neg, ast.UAdd: operator.pos,
    ast.Not: operator.not_, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of an expression.

    Parameters
    ----------
    text : str
        Numbers, texts in quotes, names of ``values``, ``name[i]``, + - * / // % **, comparisons, ``and``,
        ``or``, ``not``, and abs, min, max, sum, mean, len, round, argmin, argmax, sqrt, any, all.
    values : mapping
        Numbers, texts and arrays by name.

    Raises
    ------
    ValueError
        If it says anything else; the sentence names the part and what there is.

    Examples
    --------
    >>> bool(evaluate("max(score) - score[0] > 2 * m", {"score": np.array([1.0, 4.0]), "m": 1}))
    True
    """
    if len(text) > LONGEST:
        raise ValueError(f"an expression has at most {LONGEST} characters, and this one {len(text):,}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text[:60]!r} cannot be read as an expression") from error
    with np.errstate(all="ignore"):
        return _Reading(values).read(tree.body, 0)


class _Reading:
    """One evaluation."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def read(self, node: ast.AST, depth: int) -> Any:
        """The value of a part."""
        if depth > DEEPEST:
            raise ValueError("the expression has too many brackets inside each other")
        kind = getattr(self, f"_{type(node).__name__.lower()}", None)
        if kind is None:
            raise ValueError(f"{ast.unparse(node)[:60]} is nothing that an expression may say")
        try:
            return kind(node, depth + 1)
        except (TypeError, IndexError, ZeroDivisionError, OverflowError) as error:
            raise ValueError(f"{ast.unparse(node)[:60]} has no value: {error}") from error

    def _constant(self, node: ast.Constant, _: int) -> Any:
        if not isinstance(node.value, (bool, int, float, str)):
            raise ValueError(f"{ast.unparse(node)[:60]} is nothing that an expression may say")
        return node.value

    def _name(self, node: ast.Name, _: int) -> Any:
        if node.id not in self._values:
            known = ", ".join(self._values)
            raise ValueError(f"there is no value called {node.id[:40]!r}; there are {known}")
        value = self._values[node.id]
        # a row of numbers is computed with as a whole
        return np.asarray(value) if isinstance(value, (list, tuple)) else value

    def _binop(self, node: ast.BinOp, depth: int) -> Any:
        left, right = self.read(node.left, depth), self.read(node.right, depth)
        if isinstance(left, str) or isinstance(right, str):
            raise ValueError(f"{ast.unparse(node)[:60]} computes with a text")
        if isinstance(node.op, ast.Pow):
            if np.max(np.abs(right)) > LARGEST_POWER:
                raise ValueError(f"a power goes up to {LARGEST_POWER}")
            return np.power(np.asarray(left, dtype=float), right)
        return self._operation(node.op)(left, right)

    def _unaryop(self, node: ast.UnaryOp, depth: int) -> Any:
        return self._operation(node.op)(self.read(node.operand, depth))

    def _boolop(self, node: ast.BoolOp, depth: int) -> bool:
        decide = all if isinstance(node.op, ast.And) else any
        return decide(bool(self.read(part, depth)) for part in node.values)

    def _compare(self, node: ast.Compare, depth: int) -> Any:
        left, held = self.read(node.left, depth), True
        for operation, part in zip(node.ops, node.comparators, strict=True):
            right = self.read(part, depth)
            held = np.logical_and(held, self._operation(operation)(left, right))
            left = right
        return held if getattr(held, "ndim", 0) else bool(held)

    def _subscript(self, node: ast.Subscript, depth: int) -> Any:
        at = self.read(node.slice, depth)
        if not isinstance(at, (int, np.integer)):
            raise ValueError(f"{ast.unparse(node)[:60]} takes a whole number in its brackets")
        return self.read(node.value, depth)[at]

    def _call(self, node: ast.Call, depth: int) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS or node.keywords:
            raise ValueError(
                f"there is no function {ast.unparse(node.func)[:40]}; there are {', '.join(_FUNCTIONS)}"
            )
        given = [self.read(part, depth) for part in node.args]
        if name == "round":
            return np.round(*given)
        # max(a, b) as well as max(row)
        return _FUNCTIONS[name](given if len(given) > 1 else given[0])

    def _operation(self, kind: ast.AST) -> Callable[..., Any]:
        if type(kind) not in _OPERATIONS:
            raise ValueError(f"{type(kind).__name__} is nothing that an expression may say")
        return _OPERATIONS[type(kind)]
