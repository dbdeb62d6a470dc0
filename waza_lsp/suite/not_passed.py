"""What runs said about a check that failed, as Markdown: what it looked for, and the recorded text nearest to it."""

from collections.abc import Iterator
from typing import NamedTuple

from waza_lsp.syntax.text import Span

_FENCE = "```"


class NotPassed(NamedTuple):
    """What a run said about the text at `span`. With `names_task` it has to be told which task that was."""

    span: Span
    task: str
    message: str
    excerpt: str = ""
    names_task: bool = False


def not_passed(it: NotPassed) -> Iterator[str]:
    """The paragraphs about it."""
    what = f"**Not passed by {it.task}**" if it.names_task and it.task else "**Not passed**"
    yield f"{what}: {_plain(it.message)}"
    if it.excerpt:
        fence = _FENCE
        while fence in it.excerpt:
            fence += "`"
        yield f"{fence}text\n{it.excerpt}\n{fence}"


def _plain(text: str) -> str:
    """Text of an agent or a file, with nothing that Markdown would take for its own."""
    return "".join(f"\\{it}" if it in r"\`*_{}[]<>()#+-!|" else it for it in text).replace("\n", "  \n")
