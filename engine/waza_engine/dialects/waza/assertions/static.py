"""What can be known of a Python assertion without evaluating it.

See docs/reference/waza-formats.md, section 20, row 42.

Other ways to write a Python assertion that fails: only such are given that do parse.
"""

import ast
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from typing import NamedTuple

from waza_engine.dialects.waza.assertions.names import CONTEXT_NAMES, PYTHON_NAMES
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Rule
from waza_engine.rules.invalid_assertion import INVALID_ASSERTION
from waza_engine.rules.name_out_of_scope import NAME_OUT_OF_SCOPE
from waza_engine.rules.unknown_assertion_name import UNKNOWN_ASSERTION_NAME

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Problem(NamedTuple):
    """What is wrong with an assertion. `part` is where: first character and the one behind the last; None: all of it."""

    rule: Rule
    message: str
    part: tuple[int, int] | None = None
    name: str = ""
    """The name that is unknown."""


def problem_in_python(assertion: str, bound: set[str]) -> Iterator[Problem]:
    """What is wrong with `assertion`, each name once. `bound` gains the names that it binds for later ones."""
    parsed = _parsed(assertion)
    if isinstance(parsed, Problem):
        yield parsed
        return
    skipped = len(assertion) - len(assertion.lstrip(" \t"))
    bound.update(it.target.id for it in ast.walk(parsed) if isinstance(it, ast.NamedExpr))
    told: set[str] = set()
    for node, where in _loads(parsed, frozenset(), ""):
        name = node.id
        if name in bound or name in told:
            continue
        told.add(name)
        part = _part(assertion, skipped, node)
        if name not in PYTHON_NAMES:
            yield Problem(UNKNOWN_ASSERTION_NAME, unknown_name(name, PYTHON_NAMES), part, name)
        elif where:
            message = f"'{name}' cannot be seen inside {where}: this assertion fails"
            yield Problem(NAME_OUT_OF_SCOPE, message, part)
    if "output" not in bound:
        yield from _attributes(parsed, assertion, skipped)


def _attributes(parsed: ast.expr, assertion: str, skipped: int) -> Iterator[Problem]:
    """Attributes of the output, which is a text: those that texts do not have, and methods that are not called."""
    called = {id(it.func) for it in ast.walk(parsed) if isinstance(it, ast.Call)}
    for node in ast.walk(parsed):
        if not (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "output"
        ):
            continue
        name, (_, end) = node.attr, _part(assertion, skipped, node.value) or (0, 0)
        part = (end + 1, end + 1 + len(name)) if end and assertion[end:].startswith(f".{name}") else None
        if not hasattr(str, name):
            yield Problem(INVALID_ASSERTION, _no_attribute(name), part)
        elif id(node) not in called:
            message = f"'{name}' is not called: write output.{name}(). This assertion fails"
            yield Problem(INVALID_ASSERTION, message, part)


def _no_attribute(name: str) -> str:
    if name in _OF_JAVASCRIPT:
        return f"A text has no '{name}' in Python: {_OF_JAVASCRIPT[name]}, or set 'language: javascript'"
    close = nearest(name, [it for it in dir(str) if not it.startswith("_")], most=1)
    hint = f". Did you mean '{close[0]}'?" if close else ""
    return f"A text has no '{name}'{hint}"


_OF_JAVASCRIPT = {
    "length": "write len(output)",
    "includes": "write 'text' in output",
    "indexOf": "write output.find('text')",
    "toLowerCase": "write output.lower()",
    "toUpperCase": "write output.upper()",
    "trim": "write output.strip()",
    "startsWith": "write output.startswith('text')",
    "endsWith": "write output.endswith('text')",
    "match": "write re.search('pattern', output)",
    "test": "write re.search('pattern', output)",
    "contains": "write 'text' in output",
}
"""What a text has in JavaScript, and what Python has instead."""


def unknown_name(name: str, known: Collection[str], others: str = "") -> str:
    """The sentence about a name that assertions do not have. `others` stands for all that are not the trial's own."""
    close = nearest(name, known, most=1)
    there = [*sorted(CONTEXT_NAMES), others] if others else sorted(known)
    hint = f"Did you mean '{close[0]}'?" if close else f"There are: {', '.join(there)}"
    return f"'{name}' does not exist in an assertion. {hint}"


def _part(assertion: str, skipped: int, node: ast.Name) -> tuple[int, int] | None:
    """Where a name stands; the parser counts bytes, from the first character that is no blank."""
    if node.lineno > 1:
        return None
    before = assertion[skipped:].encode()[: node.col_offset].decode(errors="ignore")
    start = skipped + len(before)
    return start, start + len(node.id)


def _parsed(assertion: str) -> ast.expr | Problem:
    text = assertion.lstrip(" \t")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # doubtful escapes in the author's text are no business of our stderr
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError as error:
            return Problem(INVALID_ASSERTION, _explained(text, error), _place(assertion, text, error))
        except ValueError as error:
            return Problem(INVALID_ASSERTION, f"Not a Python expression: {error}")
        except (RecursionError, MemoryError):
            message = "Not a Python expression that can be read: it is nested too deeply"
            return Problem(INVALID_ASSERTION, message)


def _place(assertion: str, text: str, error: SyntaxError) -> tuple[int, int] | None:
    """The stretch that the parser stumbled over; None when it cannot be told or is not in the first line."""
    if error.lineno != 1 or not error.offset or not text.strip():
        return None
    start = error.offset - 1
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == 1 else start + 1
    if not 0 <= start < len(text):
        return None
    skipped = len(assertion) - len(text)
    return skipped + start, skipped + min(max(end, start + 1), len(text))


def _explained(text: str, error: SyntaxError) -> str:
    if not text.strip():
        return "Not a Python expression: there is nothing"
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"Not a Python expression: {error.msg}"
    return "Not an expression but a statement: assertions must have a value"


def _loads(node: ast.AST, local: frozenset[str], where: str) -> Iterator[tuple[ast.Name, str]]:
    """Every name that is read and not bound inside the assertion, with the scope that hides the trial from it."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in local:
            yield node, where
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


def _comprehension(node: Comprehension, local: frozenset[str], where: str) -> Iterator[tuple[ast.Name, str]]:
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


_OPERATORS = (("!==", "!="), ("===", "=="), ("&&", " and "), ("||", " or "))
_WORDS = {"true": "True", "false": "False", "null": "None"}
_WORD = re.compile(r"(?<![\w.])(true|false|null)(?!\w)")
_LITERAL = re.compile(
    r"""('{3}(?:\\.|[^\\])*?'{3}|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*")""",
    re.DOTALL,
)
"""A string, with which the text splits into code and strings by turns."""
_ASSIGNMENT = re.compile(r"^([^=!<>:'\"]+[^=!<>:'\"\s])\s*=\s*([^=].*)$", re.DOTALL)
_JAVASCRIPT = re.compile(
    r"=>|\.(?:length\b|includes\(|trim\(|match\(|test\(|toLowerCase\(|some\(|every\(|filter\()"
)
_MOST = 8


def in_python(assertion: str) -> str | None:
    """An assertion with operators of other languages, or a single `=`, in Python; None when that is no expression."""
    parts = _LITERAL.split(assertion)
    if any(_JAVASCRIPT.search(it) for it in parts[::2]):
        return None
    parts[::2] = [_code_in_python(it) for it in parts[::2]]
    text = "".join(parts)
    candidates = [text, _ASSIGNMENT.sub(r"\1 == \2", text)]
    return next((it for it in candidates if it != assertion and _is_expression(it)), None)


def _code_in_python(code: str) -> str:
    for foreign, ours in _OPERATORS:
        code = code.replace(foreign, ours)
    return re.sub(r"\s+(and|or)\s+", r" \1 ", _WORD.sub(lambda it: _WORDS[it[1]], code))


def written_out(assertion: str) -> str | None:
    """`any(... for it in [a, b])` without the generator, which cannot see the trial; None when it is nothing else."""
    try:
        call = ast.parse(assertion.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match call:
        case ast.Call(
            func=ast.Name(id="any" | "all" as name),
            args=[
                ast.GeneratorExp(
                    elt=test,
                    generators=[ast.comprehension(target=ast.Name(id=item), iter=values, ifs=[])],
                )
            ],
            keywords=[],
        ) if isinstance(values, ast.List | ast.Tuple) and 0 < len(values.elts) <= _MOST:
            parts = [ast.unparse(_with(test, item, it)) for it in values.elts]
            word = "or" if name == "any" else "and"
            return f" {word} ".join(parts if _binds(test) else [f"({it})" for it in parts])
        case _:
            return None


def _binds(test: ast.expr) -> bool:
    """Whether the test binds closer than `and` and `or`."""
    return not isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda | ast.NamedExpr)


def _with(test: ast.expr, name: str, value: ast.expr) -> ast.expr:
    class Replacing(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:  # the library's name
            return value if node.id == name else node

    result: ast.expr = Replacing().visit(deepcopy(test))
    return result


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def alternatives(assertion: str) -> Iterator[str]:
    """What may be meant by an assertion that fails as it is."""
    for it in (in_python(assertion), written_out(assertion)):
        if it is not None:
            yield it
