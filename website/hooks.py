"""Let mkdocs read the pages as GitHub does: links into the repository, lists, anchors; and list all pages of a folder.

Whatever leads nowhere is a warning, which ends a strict build.
"""

import logging
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown

_ROOT = Path(__file__).parents[1]
_DOCS = _ROOT / "docs"
_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]+)?(\))")
_FENCE = re.compile(r"^ *(`{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
_NAMED_FENCE = re.compile(r"^( *`{3,}\w+) file=(\S+)$", re.MULTILINE)
_CELL = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.) ")
_log = logging.getLogger("mkdocs.hooks")


class _LikeGitHub(Extension):
    """Two blanks suffice to continue an item of a list."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # the library's name
        md.tab_length = 2


def on_config(config: Any) -> Any:
    """Expand the patterns of the navigation."""
    named = set(_names(config.nav))
    config.nav = [_expanded(it, named) for it in config.nav]
    config.markdown_extensions.append(_LikeGitHub())
    config.mdx_configs["toc"] = {"slugify": _anchor, "permalink": True}
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return the text with blank lines before lists, and with links that lead out of `docs` to the repository."""
    parts, at = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_with_lists(markdown[at : fence.start()]), fence[0]]
        at = fence.end()
    text = "".join([*parts, _with_lists(markdown[at:])])

    def link(it: re.Match[str]) -> str:
        return f"{it[1]}{_target(it[2], page.file.src_uri, config.repo_url)}{it[3] or ''}{it[4]}"

    return _NAMED_FENCE.sub(r'\1 title="\2"', _LINK.sub(link, text))


def on_page_content(html: str, **_: Any) -> str:
    """Return the page without the backslashes that keep `|` from ending a cell."""
    return _CELL.sub(lambda it: it[0].replace("\\|", "|"), html)


def _names(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for it in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _names(it)


def _expanded(entry: Any, named: set[str]) -> Any:
    if isinstance(entry, dict):
        return {title: _expanded(it, named) for title, it in entry.items()}
    if isinstance(entry, list):
        return [_expanded(it, named) for it in entry]
    if "*" not in entry:
        return entry
    found = (it.relative_to(_DOCS).as_posix() for it in _DOCS.glob(entry))
    return sorted((it for it in found if it not in named), key=lambda it: (not it.endswith("README.md"), it))


def _anchor(heading: str, _separator: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _with_lists(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        if _ITEM.match(line) and before.strip() and not before.startswith(" ") and not _ITEM.match(before):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def _target(link: str, page: str, repository: str) -> str:
    """Return where a link leads: unchanged to a page, else to the file or folder in the repository."""
    folder = posixpath.dirname(page)
    path = _DOCS / folder / link
    inside = posixpath.normpath(posixpath.join("docs", folder, link))
    is_page = inside.startswith("docs/")
    if is_page and (path / "README.md").exists():
        return f"{link.rstrip('/')}/README.md"
    if is_page and not path.is_dir():
        return link
    if not path.exists():
        _log.warning("%s links to %s, which does not exist", page, link)
    return f"{repository}/{'tree' if path.is_dir() else 'blob'}/main/{inside}"
