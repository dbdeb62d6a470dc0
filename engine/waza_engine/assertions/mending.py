"""Other ways to write a Python assertion that fails: only such are given that do parse."""

import ast
import re
from collections.abc import Iterator
from copy import deepcopy

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
