"""Find the sentences of Markdown pages, help texts, schemas and messages, and count their words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^ *(`{3,})[^`\n]*\n.*?^ *\1`* *$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`+[^`]+`+")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_BLOCK_START = re.compile(r"^\s*(?:[-*+] |\d+\. |#+ |> |\|)")
_END = re.compile(r"(?<!\.\.)(?<=[.!?])[\"')*_]*(?:\s+|$)")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|approx|resp)\.", re.IGNORECASE)
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_LITERALS = re.compile(r'(?:[frb]?"(?:[^"\\\n]|\\.)*"\s*)+')
_FIELD = re.compile(r"\{[^{}]*\}")
_DOCSTRING = re.compile(r'"""[^"]*(?:"{1,2}[^"]+)*"""')
_COMMENT_LINE = re.compile(r"^\s*#.*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_][\w'./%+-]*")


class Sentence(NamedTuple):
    """A sentence, and where it is."""

    where: str
    text: str

    @property
    def words(self) -> int:
        """The number of words; a piece of code is one."""
        return len(_WORD.findall(self.text))


def of_markdown(where: str, text: str) -> Iterator[Sentence]:
    """Yield the sentences of a page: cells of tables and items of lists are texts of their own."""
    text = _COMMENT.sub("", _FENCE.sub("\n\n", text))
    for block in _blocks(text):
        if block.lstrip().startswith("|"):
            cells = re.split(r"(?<!\\)\|", block.strip().strip("|"))
            for cell in cells:
                yield from of_text(where, cell)
        else:
            yield from of_text(where, _BLOCK_START.sub("", block))


def _blocks(text: str) -> Iterator[str]:
    """Yield paragraphs, items, headings and rows of tables, each on one line."""
    block = ""
    for line in [*text.splitlines(), ""]:
        if block and (not line.strip() or _BLOCK_START.match(line) or block.lstrip()[0] in "#|"):
            yield block
            block = ""
        block = f"{block} {line}" if block else line
        block = block if line.strip() else ""


def of_text(where: str, text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text without blocks."""
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    text = _TAG.sub("", _CODE.sub("Code", text))
    text = _ABBREVIATION.sub(lambda it: it[0].replace(".", ""), " ".join(text.split()))
    for it in _END.split(text):
        if it and _WORD.search(it):
            yield Sentence(where, it.strip())


def of_help(where: str, text: str) -> Iterator[Sentence]:
    """Yield the sentences of a command's help; paragraphs after a backspace are examples."""
    for paragraph in text.split("\n\n"):
        if not paragraph.lstrip().startswith("\b"):
            yield from of_text(where, paragraph)


def of_code(where: str, source: str) -> Iterator[Sentence]:
    """Yield the sentences of the literals in a module that have blanks; adjacent literals are one text.

    Without a parser, because parsing all modules takes 15 s.
    """
    for found in _LITERALS.finditer(_COMMENT_LINE.sub("", _DOCSTRING.sub("", source))):
        text = "".join(_FIELD.sub("X", it) for it in _LITERAL.findall(found[0]))
        if text.count(" ") > 2:
            yield from of_text(where, text)
