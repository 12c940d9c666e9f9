"""Mutants of a module: small changes to its syntax tree, each of which a test should notice.

Files stay as they are: a mutant is compiled in memory and imported in place of its module,
which is why this is not mutmut or cosmic-ray. Both write into the sources, and neither
leaves a checkout alone that somebody else is working in.
"""

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
}


@attrs.frozen
class Mutant:
    """One change: where it is, and what it does.

    Attributes:
        module: The dotted name of the module.
        number: Which of the module's mutants it is.
        line: Where.
        says: What it was, and what it is.
        nth: Which of the module's mutants that say the same it is.
    """

    module: str
    number: int
    line: int
    says: str
    nth: int = 0

    @property
    def name(self) -> str:
        """What it is known by, also when lines before it come or go."""
        return f"{self.module} {self.says} {self.nth}"

    def rank(self, seed: int) -> str:
        """The first by rank are a sample that a change elsewhere in the sources leaves alone."""
        return hashlib.sha256(f"{seed} {self.name}".encode()).hexdigest()


def mutants_of(module: str, path: Path) -> list[Mutant]:
    """Every mutant of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told: Counter[str] = Counter()
    found = []
    for number, (node, says, _change) in enumerate(_changes(tree)):
        found.append(Mutant(module, number, node.lineno, says, told[says]))
        told[says] += 1
    return found


def mutated(path: Path, number: int) -> ast.Module:
    """The tree of a module with one change made."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for index, (_node, _says, change) in enumerate(_changes(tree)):
        if index == number:
            change()
            return ast.fix_missing_locations(tree)
    raise IndexError(number)


def _changes(tree: ast.Module):
    """Each change as the node it is at, in words, and as a function that makes it."""
    for parent, field, node in _nodes(tree):
        match node:
            case ast.Compare():
                for index, op in enumerate(node.ops):
                    other = _COMPARED[type(op)]
                    yield (
                        node,
                        _says(node, f"{type(op).__name__} to {other.__name__}"),
                        lambda n=node, i=index, o=other: n.ops.__setitem__(i, o()),
                    )
            case ast.BoolOp():
                other_op = ast.Or if isinstance(node.op, ast.And) else ast.And
                yield (
                    node,
                    _says(node, f"to {other_op.__name__}"),
                    lambda n=node, o=other_op: setattr(n, "op", o()),
                )
            case ast.BinOp() | ast.AugAssign() if type(node.op) in _COMPUTED:
                other_bin = _COMPUTED[type(node.op)]
                yield (
                    node,
                    _says(node, f"to {other_bin.__name__}"),
                    lambda n=node, o=other_bin: setattr(n, "op", o()),
                )
            case ast.UnaryOp(op=ast.Not()):
                yield node, _says(node, "without not"), _replace(parent, field, node.operand)
            case ast.Constant(value=bool()):
                yield (
                    node,
                    _says(node, "flipped"),
                    lambda n=node: setattr(n, "value", not n.value),
                )
            case ast.Constant(value=int()):
                yield (
                    node,
                    _says(node, "plus 1"),
                    lambda n=node: setattr(n, "value", n.value + 1),
                )
            case ast.If() | ast.While() | ast.IfExp():
                negated = ast.UnaryOp(ast.Not(), node.test)
                yield (
                    node.test,
                    _says(node.test, "negated"),
                    lambda n=node, t=negated: setattr(n, "test", t),
                )
            case ast.Break():
                yield node, "break to continue", _replace(parent, field, ast.Continue())
            case ast.Continue():
                yield node, "continue to break", _replace(parent, field, ast.Break())
            case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Delete() if isinstance(
                field, tuple
            ):
                if not _is_text(node):
                    yield node, _says(node, "removed"), _replace(parent, field, ast.Pass())
            case ast.Return(value=ast.expr()) if not _is_nothing(node.value):
                gone = ast.Return(ast.Constant(None))
                yield node, _says(node, "returns None"), _replace(parent, field, gone)
            case _:
                pass


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, object, ast.AST]]:
    """Every node inside a function, with its parent and place; no annotations, no messages."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        parent, inside = waiting.pop()
        if isinstance(parent, ast.Raise | ast.Assert | ast.JoinedStr):
            continue
        inside = inside or isinstance(parent, ast.FunctionDef)
        for field, value in ast.iter_fields(parent):
            if field in {"annotation", "returns", "decorator_list", "type_comment", "type_params"}:
                continue
            for index, node in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(node, ast.AST):
                    continue
                if inside:
                    yield parent, (field, index) if isinstance(value, list) else field, node
                waiting.append((node, inside))


def _replace(parent: ast.AST, field, new: ast.AST):
    def change() -> None:
        if isinstance(field, tuple):
            getattr(parent, field[0])[field[1]] = ast.copy_location(copy.deepcopy(new), parent)
        else:
            setattr(parent, field, copy.deepcopy(new))

    return change


def _says(node: ast.AST, what: str) -> str:
    text = ast.unparse(node).split("\n")[0]
    return f"{text[:70]}: {what}"


def _is_text(node: ast.stmt) -> bool:
    """A docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_nothing(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
