"""Parses templates in prompts: Go's text/template without loops, definitions and template variables."""

from dataclasses import dataclass
from typing import NoReturn

from waza_engine.dialects.waza.formats.templates.functions import ARGUMENTS, FUNCTIONS
from waza_engine.dialects.waza.formats.templates.tokens import (
    TemplateError,
    Token,
    number_of,
    pieces,
    refuse_action,
    text_of_literal,
)

__all__ = ["Branch", "Call", "Expression", "Literal", "Names", "Part", "TemplateError", "parse"]

_MOST_LEVELS = 50
_UNSUPPORTED = ("range", "with", "define", "block", "template", "break", "continue")
_FUNCTIONS_UNSUPPORTED = ("slice", "html", "js", "urlquery", "call")


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, number or boolean in the template."""

    value: str | float | bool


@dataclass(frozen=True, slots=True)
class Names:
    """`.Vars.name` or `.TaskName`: the names without their dots."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments; a piped value is the last of them."""

    name: str
    arguments: tuple["Expression", ...]


Expression = Literal | Names | Call


@dataclass(frozen=True, slots=True)
class Branch:
    """`if`, with the parts for both cases."""

    condition: Expression
    then: tuple["Part", ...]
    otherwise: tuple["Part", ...]


Part = str | Expression | Branch


_NESTING = (Token("sign", "("), Token("sign", "|"))


def parse(template: str) -> tuple[Part, ...]:
    """Return the parts of a template.

    Raises:
        TemplateError: an action is not closed or not supported.

    """
    return _Blocks(template).all()


class _Open:
    """An `if` without its `end` so far. A `chained` one follows `else` and ends with the one before."""

    def __init__(self, condition: Expression, *, chained: bool = False) -> None:
        self.condition = condition
        self.chained = chained
        self.then: tuple[Part, ...] | None = None
        self.parts: list[Part] = []


class _Blocks:
    """Joins texts and actions. Open blocks are in a list, not on Python's stack."""

    def __init__(self, template: str) -> None:
        self._pieces = pieces(template)
        self._top: list[Part] = []
        self._open: list[_Open] = []
        self._depth = 0

    def all(self) -> tuple[Part, ...]:
        for it in self._pieces:
            if isinstance(it, str):
                self._parts.append(it)
            elif it:
                self._action(it)
        if self._open:
            raise TemplateError("an '{{if}}' has no '{{end}}'")
        return tuple(self._top)

    @property
    def _parts(self) -> list[Part]:
        return self._open[-1].parts if self._open else self._top

    def _action(self, tokens: list[Token]) -> None:
        match [it.source for it in tokens[:2]]:
            case ["if", *_]:
                self._enter(_Open(_expression(tokens[1:])))
            case ["else", "if"]:
                self._else()
                self._enter(_Open(_expression(tokens[2:]), chained=True))
            case ["else"]:
                self._else()
            case ["end"]:
                self._end()
            case _:
                self._parts.append(_expression(tokens))

    def _enter(self, block: _Open) -> None:
        self._open.append(block)
        self._depth += not block.chained
        if self._depth > _MOST_LEVELS:
            raise TemplateError(f"'{{{{if}}}}' is nested deeper than {_MOST_LEVELS} levels")

    def _else(self) -> None:
        if not self._open or self._open[-1].then is not None:
            raise TemplateError("an '{{else}}' has no '{{if}}'")
        self._open[-1].then = tuple(self._open[-1].parts)
        self._open[-1].parts = []

    def _end(self) -> None:
        if not self._open:
            raise TemplateError("an '{{end}}' has no '{{if}}'")
        self._depth -= 1
        chained = True
        while chained:
            block = self._open.pop()
            parts = tuple(block.parts)
            then, otherwise = (parts, ()) if block.then is None else (block.then, parts)
            self._parts.append(Branch(block.condition, then, otherwise))
            chained = block.chained


def _expression(tokens: list[Token]) -> Expression:
    if not tokens:
        raise TemplateError("an '{{if}}' has no condition")
    if sum(it in _NESTING for it in tokens) > _MOST_LEVELS:
        raise TemplateError(f"it has more than {_MOST_LEVELS} brackets and pipes in one pair of braces")
    reader = _Reader(tokens)
    expression = reader.pipeline()
    if reader.peek() is not None:
        reader.refuse()
    return expression


class _Reader:
    """Reads the expression of one action."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def refuse(self) -> NoReturn:
        refuse_action(" ".join(it.source for it in self._tokens))

    def pipeline(self) -> Expression:
        value = self._command(())
        while self._takes("|"):
            value = self._command((value,))
        return value

    def _command(self, piped: tuple[Expression, ...]) -> Expression:
        token = self.peek()
        if token is None or token.kind != "word" or token.source in {"true", "false"}:
            if piped:
                raise TemplateError("only a function can take a piped value")
            return self._operand()
        self._at += 1
        arguments: list[Expression] = []
        while (following := self.peek()) is not None and following.source not in {"|", ")"}:
            arguments.append(self._operand())
        return _call(token.source, (*arguments, *piped))

    def _operand(self) -> Expression:
        token = self.peek()
        if token is None:
            self.refuse()
        self._at += 1
        match token.kind:
            case "text":
                return Literal(text_of_literal(token.source))
            case "number":
                return Literal(number_of(token.source))
            case "names":
                return Names(tuple(token.source.lstrip("$.").split(".")))
            case "word" if token.source in {"true", "false"}:
                return Literal(token.source == "true")
            case "word":
                return _call(token.source, ())
            case _:
                return self._in_brackets(token)

    def _in_brackets(self, opening: Token) -> Expression:
        if opening.source != "(":
            self.refuse()
        value = self.pipeline()
        if not self._takes(")"):
            self.refuse()
        return value

    def _takes(self, sign: str) -> bool:
        token = self.peek()
        found = token is not None and token == Token("sign", sign)
        self._at += found
        return found


def _call(name: str, arguments: tuple[Expression, ...]) -> Call:
    if name in _UNSUPPORTED:
        raise TemplateError(f"'{name}' is not supported in prompts, only '{{{{if}}}}' is")
    if name in _FUNCTIONS_UNSUPPORTED:
        raise TemplateError(f"the function '{name}' is not supported in prompts")
    if name not in FUNCTIONS and name not in {"and", "or"}:
        raise TemplateError(
            f"unknown function '{name}'. Write a variable as {{{{.Vars.{name}}}}} or {{{{index .Vars \"{name}\"}}}}"
        )
    fewest, most = ARGUMENTS[name]
    if not fewest <= len(arguments) <= most:
        raise TemplateError(f"'{name}' cannot have {len(arguments)} arguments")
    return Call(name, arguments)
