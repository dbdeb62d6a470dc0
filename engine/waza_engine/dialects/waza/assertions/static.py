"""Problems of a Python assertion that need no evaluation, and other spellings that parse.

See docs/reference/waza-formats.md, section 20, row 42.
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
    """A problem of an assertion. `part` is its range (start and exclusive end); None is all of the assertion."""

    rule: Rule
    message: str
    part: tuple[int, int] | None = None
    name: str = ""
    """The unknown name, if that is the problem."""


def problem_in_python(assertion: str, bound: set[str]) -> Iterator[Problem]:
    """Report the problems of `assertion`, each name once. Adds the names that it binds for later ones to `bound`."""
    expression = _parse(assertion)
    if isinstance(expression, Problem):
        yield expression
        return
    skipped = len(assertion) - len(assertion.lstrip(" \t"))
    bound.update(it.target.id for it in ast.walk(expression) if isinstance(it, ast.NamedExpr))
    reported: set[str] = set()
    for node, where in _loads(expression, frozenset(), ""):
        name = node.id
        if name in bound or name in reported:
            continue
        reported.add(name)
        part = _name_range(assertion, skipped, node)
        if name not in PYTHON_NAMES:
            yield Problem(UNKNOWN_ASSERTION_NAME, unknown_name(name, PYTHON_NAMES), part, name)
        elif where:
            message = f"'{name}' is not visible inside {where}, so this assertion fails"
            yield Problem(NAME_OUT_OF_SCOPE, message, part)
    if "output" not in bound:
        yield from _attribute_problems(expression, assertion, skipped)


def _attribute_problems(expression: ast.expr, assertion: str, skipped: int) -> Iterator[Problem]:
    """Report attributes of `output` that strings do not have, and methods that are not called."""
    called = {id(it.func) for it in ast.walk(expression) if isinstance(it, ast.Call)}
    for node in ast.walk(expression):
        if not (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "output"
        ):
            continue
        name, (_, end) = node.attr, _name_range(assertion, skipped, node.value) or (0, 0)
        part = (end + 1, end + 1 + len(name)) if end and assertion[end:].startswith(f".{name}") else None
        if not hasattr(str, name):
            yield Problem(INVALID_ASSERTION, _no_attribute(name), part)
        elif id(node) not in called:
            message = f"'{name}' is not called, so this assertion fails. Write output.{name}()"
            yield Problem(INVALID_ASSERTION, message, part)


def _no_attribute(name: str) -> str:
    if name in _JAVASCRIPT_MEMBERS:
        return f"A string has no '{name}' in Python. In Python, {_JAVASCRIPT_MEMBERS[name]}, or set 'language: javascript'"
    close = nearest(name, [it for it in dir(str) if not it.startswith("_")], most=1)
    hint = f". Did you mean '{close[0]}'?" if close else ""
    return f"A string has no '{name}'{hint}"


_JAVASCRIPT_MEMBERS = {
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
"""Members of strings in JavaScript, with the Python for each."""


def unknown_name(name: str, known: Collection[str], others: str = "") -> str:
    """Return the message about an unknown name. `others` describes the known names that are not the trial's own."""
    close = nearest(name, known, most=1)
    listed = [*sorted(CONTEXT_NAMES), others] if others else sorted(known)
    hint = f"Did you mean '{close[0]}'?" if close else f"Known names: {', '.join(listed)}"
    return f"'{name}' does not exist in an assertion. {hint}"


def _name_range(assertion: str, skipped: int, node: ast.Name) -> tuple[int, int] | None:
    """Return the range of a name. The parser counts bytes from the first non-blank character."""
    if node.lineno > 1:
        return None
    before = assertion[skipped:].encode()[: node.col_offset].decode(errors="ignore")
    start = skipped + len(before)
    return start, start + len(node.id)


def _parse(assertion: str) -> ast.expr | Problem:
    text = assertion.lstrip(" \t")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # doubtful escapes in the author's text must not reach our stderr
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError as error:
            return Problem(
                INVALID_ASSERTION, _syntax_message(text, error), _error_range(assertion, text, error)
            )
        except ValueError as error:
            return Problem(INVALID_ASSERTION, f"Not a Python expression: {error}")
        except (RecursionError, MemoryError):
            message = "Not a readable Python expression: it is nested too deeply"
            return Problem(INVALID_ASSERTION, message)


def _error_range(assertion: str, text: str, error: SyntaxError) -> tuple[int, int] | None:
    """Return the range of the syntax error; None if it is unknown or not in the first line."""
    if error.lineno != 1 or not error.offset or not text.strip():
        return None
    start = error.offset - 1
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == 1 else start + 1
    if not 0 <= start < len(text):
        return None
    skipped = len(assertion) - len(text)
    return skipped + start, skipped + min(max(end, start + 1), len(text))


def _syntax_message(text: str, error: SyntaxError) -> str:
    if not text.strip():
        return "Not a Python expression: it is empty"
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"Not a Python expression: {error.msg}"
    return "This is a statement. An assertion must be an expression with a value"


def _loads(node: ast.AST, local: frozenset[str], where: str) -> Iterator[tuple[ast.Name, str]]:
    """Yield each name that is read but not bound in the assertion, with the scope that hides the trial's names from it."""
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


def alternatives(assertion: str) -> Iterator[str]:
    """Yield what the author may have meant by an assertion that fails."""
    for it in (translate_to_python(assertion), expand_generator(assertion)):
        if it is not None:
            yield it


_OPERATORS = (("!==", "!="), ("===", "=="), ("&&", " and "), ("||", " or "))
_WORDS = {"true": "True", "false": "False", "null": "None"}
_WORD = re.compile(r"(?<![\w.])(true|false|null)(?!\w)")
_LITERAL = re.compile(
    r"""('{3}(?:\\.|[^\\])*?'{3}|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*")""",
    re.DOTALL,
)
"""A string. Splitting by it gives code and strings in turn."""
_ASSIGNMENT = re.compile(r"^([^=!<>:'\"]+[^=!<>:'\"\s])\s*=\s*([^=].*)$", re.DOTALL)
_JAVASCRIPT = re.compile(
    r"=>|\.(?:length\b|includes\(|trim\(|match\(|test\(|toLowerCase\(|some\(|every\(|filter\()"
)
_MAX_ITEMS = 8


def translate_to_python(assertion: str) -> str | None:
    """Translate operators of other languages and a single `=` to Python; None if the result is not an expression."""
    parts = _LITERAL.split(assertion)
    if any(_JAVASCRIPT.search(it) for it in parts[::2]):
        return None
    parts[::2] = [_translate_code(it) for it in parts[::2]]
    text = "".join(parts)
    candidates = [text, _ASSIGNMENT.sub(r"\1 == \2", text)]
    return next((it for it in candidates if it != assertion and _is_expression(it)), None)


def _translate_code(code: str) -> str:
    for foreign, ours in _OPERATORS:
        code = code.replace(foreign, ours)
    return re.sub(r"\s+(and|or)\s+", r" \1 ", _WORD.sub(lambda it: _WORDS[it[1]], code))


def expand_generator(assertion: str) -> str | None:
    """Write `any(... for it in [a, b])` without the generator, which hides the trial's names; None for anything else."""
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
        ) if isinstance(values, ast.List | ast.Tuple) and 0 < len(values.elts) <= _MAX_ITEMS:
            parts = [ast.unparse(_substitute(test, item, it)) for it in values.elts]
            word = "or" if name == "any" else "and"
            return f" {word} ".join(parts if _binds(test) else [f"({it})" for it in parts])
        case _:
            return None


def _binds(test: ast.expr) -> bool:
    """Whether the test binds more tightly than `and` and `or`."""
    return not isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda | ast.NamedExpr)


def _substitute(test: ast.expr, name: str, value: ast.expr) -> ast.expr:
    class Replacer(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:  # the library's name
            return value if node.id == name else node

    result: ast.expr = Replacer().visit(deepcopy(test))
    return result


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
