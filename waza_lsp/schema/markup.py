r"""Put text of files into Markdown as data, and turn our Markdown into plain text for editors that do not render it.

`plain_text` handles what our own pages use: code, bold, links, tables, rules, escapes and hard line breaks.
"""

import re

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~]")
_LINES = re.compile(r"\s*\n\s*")
_FENCE = re.compile(r"(`{3,})\w*$")
_TABLE_RULE = re.compile(r"\|(?: --- \|)+$")
_CELL_END = re.compile(r"(?<!\\)\|")
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?P<inner>.+?)(?P=ticks)(?!`))"
    r"|\*\*(?P<bold>.+?)\*\*"
    r"|\[(?P<title>[^\[\]]+)\]\((?P<address>[^()\s]+)\)"
    r"|\\(?P<escaped>[^\w\s])"
)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, on one line: it forms no links, images, headings or HTML."""
    return _SPECIAL.sub(r"\\\g<0>", _LINES.sub(" ", text))


def fenced(text: str, language: str) -> str:
    """Return text as a block of code, which the text cannot end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def plain_text(markdown: str) -> str:
    """Return the text without markup."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        fence_line = _FENCE.match(line)
        if fence:
            fence = "" if line == fence else fence
            lines += [line] if fence else []
        elif fence_line is not None:
            fence = fence_line[1]
        elif line == "---":
            lines.append("")
        elif _TABLE_RULE.match(line) is None:
            lines.append(_row(line) if line.startswith("| ") else _inline(line.rstrip()))
    return "\n".join(lines)


def _row(line: str) -> str:
    cells = (it.strip().replace("\\|", "|") for it in _CELL_END.split(line)[1:-1])
    return " · ".join(_inline(it) for it in cells)


def _inline(line: str) -> str:
    return _INLINE.sub(_inner_text, line)


def _inner_text(found: re.Match[str]) -> str:
    if found["code"]:
        inner = found["inner"]
        return inner[1:-1] if len(found["ticks"]) > 1 and inner[:1] == inner[-1:] == " " else inner
    if found["bold"]:
        return _inline(found["bold"])
    return f"{found['title']}: {found['address']}" if found["title"] else str(found["escaped"])
