"""A template in prompts cut into its texts and the tokens of its actions."""

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from waza_engine.formats.waza.template_texts import TemplateError

_BLANKS = " \t\r\n"
_OPENING = re.compile(r"\{\{(-(?=[ \t\r\n]))?[ \t\r\n]*")
_CLOSING = re.compile(r"[ \t\r\n]*(?:(?<=[ \t\r\n])(-))?\}\}")
_COMMENT_OPENING = re.compile(r"\{\{(?:-[ \t\r\n])?")
_COMMENT_CLOSING = re.compile(r"\*/(?:[ \t\r\n](-))?\}\}")
_MAY_FOLLOW = frozenset(["", *_BLANKS, *"()|}"])
"""What may stand right behind a word, text or number."""
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+')
      | (?P<number>[+-]?(?:0[xX][\w.]*|(?:[0-9][\w.]*|\.[0-9]\w*)(?:(?<=[eE])[+-]\w+)?))
      | (?P<names>\$?(?:\.[^\W\d]\w*)+)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>[()|])
    )""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A piece of an action: `text`, `number`, `names`, `word` or `sign`, and how it is written."""

    kind: str
    source: str


def pieces(template: str) -> Iterator[str | list[Token]]:
    """Texts, and the tokens of the actions between them; a comment is an action without any."""
    position, trim = 0, False
    while found := _OPENING.search(template, position):
        yield _between(template[position : found.start()], trim_start=trim, trim_end=bool(found[1]))
        tokens: list[Token] = []
        if template.startswith("/*", found.end()):
            position, trim = _behind_comment(template, found)
        else:
            tokens, position, trim = _tokens(template, found.end())
        yield tokens
    yield _between(template[position:], trim_start=trim, trim_end=False)


def _behind_comment(template: str, opening: re.Match[str]) -> tuple[int, bool]:
    """Where a comment's action ends, and whether it trims what follows; only the blanks of `-` may stand beside it."""
    end = template.find("*/", opening.end() + 2)
    closing = _COMMENT_CLOSING.match(template, end) if end >= 0 else None
    if closing is None or not _COMMENT_OPENING.fullmatch(opening[0]):
        raise TemplateError("a comment is written {{/* text */}}, with nothing between it and the braces")
    return closing.end(), bool(closing[1])


def _between(text: str, *, trim_start: bool, trim_end: bool) -> str:
    """The text between two actions; `-` inside the braces takes the blanks beside them away."""
    text = text.lstrip(_BLANKS) if trim_start else text
    return text.rstrip(_BLANKS) if trim_end else text


def _tokens(template: str, position: int) -> tuple[list[Token], int, bool]:
    """The tokens from a place inside of `{{` on, where the action ends, and whether it trims what follows."""
    start, tokens = position, list[Token]()
    while not (closing := _CLOSING.match(template, position)):
        found = _TOKEN.match(template, position)
        if found is None:
            _refuse(template, start)
        kind, position = str(found.lastgroup), found.end()
        if kind != "sign" and template[position : position + 1] not in _MAY_FOLLOW:
            _refuse(template, start)
        tokens.append(Token(kind, found[kind]))
    if not tokens:
        raise TemplateError("a '{{}}' has nothing in it")
    return tokens, closing.end(), bool(closing.lastindex)


def _refuse(template: str, start: int) -> NoReturn:
    end = template.find("}}", start)
    if end < 0:
        raise TemplateError("a '{{' is not closed")
    not_understood(template[start:end].strip())


def not_understood(source: str) -> NoReturn:
    """Refuse what stands between braces."""
    raise TemplateError(
        f"'{{{{{source}}}}}' is not understood; write {{{{.Vars.name}}}} or {{{{index .Vars \"name\"}}}}"
    )
