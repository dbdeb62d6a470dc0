"""What can be known of a Python assertion without evaluating it (waza-formats.md, section 20, row 42)."""

import ast
import warnings
from collections.abc import Iterator, Sequence

from waza_engine.assertions.names import PYTHON_NAMES
from waza_engine.findings import Rule
from waza_engine.rules.invalid_assertion import INVALID_ASSERTION
from waza_engine.rules.name_out_of_scope import NAME_OUT_OF_SCOPE
from waza_engine.rules.unknown_assertion_name import UNKNOWN_ASSERTION_NAME

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def problem_in_python(assertion: str, bound: set[str]) -> Iterator[tuple[Rule, str]]:
    """What is wrong with `assertion`, each name once. `bound` gains the names that it binds for later ones."""
    parsed = _parsed(assertion)
    if isinstance(parsed, str):
        yield INVALID_ASSERTION, parsed
        return
    bound.update(it.target.id for it in ast.walk(parsed) if isinstance(it, ast.NamedExpr))
    told: set[str] = set()
    for name, where in _loads(parsed, frozenset(), ""):
        if name in bound or name in told:
            continue
        told.add(name)
        if name not in PYTHON_NAMES:
            known = ", ".join(sorted(PYTHON_NAMES))
            yield UNKNOWN_ASSERTION_NAME, f"'{name}' does not exist in an assertion. There are: {known}"
        elif where:
            yield NAME_OUT_OF_SCOPE, f"'{name}' cannot be seen inside {where}: this assertion fails"


def _parsed(assertion: str) -> ast.expr | str:
    text = assertion.lstrip(" \t")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # doubtful escapes in the author's text are no business of our stderr
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError as error:
            return _explained(text, error)
        except ValueError as error:
            return f"Not a Python expression: {error}"
        except (RecursionError, MemoryError):
            return "Not a Python expression that can be read: it is nested too deeply"


def _explained(text: str, error: SyntaxError) -> str:
    if not text.strip():
        return "Not a Python expression: there is nothing"
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"Not a Python expression: {error.msg}"
    return "Not an expression but a statement: assertions must have a value"


def _loads(node: ast.AST, local: frozenset[str], where: str) -> Iterator[tuple[str, str]]:
    """Every name that is read and not bound inside the assertion, with the scope that hides the trial from it."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in local:
            yield name, where
        case ast.Lambda(args=arguments, body=body):
            defaults: Sequence[ast.expr | None] = [*arguments.defaults, *arguments.kw_defaults]
            for it in filter(None, defaults):
                yield from _loads(it, local, where)
            yield from _loads(body, local | _parameters(arguments), "a lambda")
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _comprehension(node, local, where)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _loads(child, local, where)


def _comprehension(node: Comprehension, local: frozenset[str], where: str) -> Iterator[tuple[str, str]]:
    first, *others = node.generators
    yield from _loads(first.iter, local, where)
    targets = (it.id for part in node.generators for it in ast.walk(part.target) if isinstance(it, ast.Name))
    inner_local = local | frozenset(targets)
    inner_where = (
        "a generator expression"
        if isinstance(node, ast.GeneratorExp)
        else where or "a comprehension (before Python 3.12)"
    )
    body = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    rest = [*first.ifs, *(it for part in others for it in (part.iter, *part.ifs))]
    for it in (*body, *rest):
        yield from _loads(it, inner_local, inner_where)


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    named = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    return frozenset(it.arg for it in named if it)
