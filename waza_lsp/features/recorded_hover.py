"""`textDocument/hover` over a check that failed: what it looked for, and the text that was recorded nearest to it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

_FENCE = "```"


class Recorded(NamedTuple):
    """What a run said about the text under the cursor. `task` is empty where it goes without saying."""

    task: str
    message: str
    excerpt: str


def recorded_hover(
    meaning: types.Hover | None, recorded: Sequence[Recorded], where: types.Range
) -> types.Hover | None:
    """The hover with what runs said above the meaning; `where` is the text that they are about."""
    if not recorded:
        return meaning
    paragraphs = [paragraph for it in recorded for paragraph in _paragraphs(it)]
    if meaning is not None and isinstance(meaning.contents, types.MarkupContent):
        paragraphs += ["---", meaning.contents.value]
    contents = types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(paragraphs))
    return types.Hover(contents, meaning.range if meaning is not None else where)


def _paragraphs(it: Recorded) -> Iterator[str]:
    what = f"**Not passed by {it.task}**" if it.task else "**Not passed**"
    yield f"{what}: {_plain(it.message)}"
    if it.excerpt:
        fence = _FENCE
        while fence in it.excerpt:
            fence += "`"
        yield f"{fence}text\n{it.excerpt}\n{fence}"


def _plain(text: str) -> str:
    """Text of an agent or a file, with nothing that Markdown would take for its own."""
    return "".join(f"\\{it}" if it in r"\`*_{}[]<>()#+-!|" else it for it in text).replace("\n", "  \n")
