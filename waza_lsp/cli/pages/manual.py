"""Read the pages about rules and grader types.

A wheel contains them inside the package; a checkout has them in `docs/`. With plug-ins they are generated again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waza_engine.lib.links import PAGES
from waza_engine.plugins import has_plugins

_ROW = re.compile(r"\| \[([^\]]+)\]\([^)]+\) \|(.*)\|")
_INDEX = "README"
RULES = "rules/"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list of pages: the page's name, and the other cells of its row."""

    name: str
    cells: tuple[str, ...]


def page_folder() -> Path:
    """Return the folder of the pages in this installation."""
    # Not the package itself: its import is not needed.
    import waza_engine

    package = Path(waza_engine.__file__).parent
    inside = package / "pages"
    return inside if inside.is_dir() else package.parents[1] / "docs"


@cache
def _generated() -> Mapping[str, str]:
    # Imported late: it builds the models of all graders.
    from waza_engine.generate.pages import all_pages

    return all_pages()


def page(path: str) -> str | None:
    """Return the Markdown text of a page, such as `rules/unknown-key`, or None."""
    if has_plugins():
        return _generated().get(f"{path}.md")
    try:
        return page_folder().joinpath(f"{path}.md").read_text(encoding="utf-8")
    except OSError:
        return None


def entries(folder: str) -> list[Entry]:
    """Return the rows of the list of a folder, such as `rules/`, in its order."""
    rows = _ROW.findall(page(f"{folder}{_INDEX}") or "")
    return [Entry(name, tuple(it.strip() for it in rest.split(" | "))) for name, rest in rows]


def address(path: str) -> str:
    """Return the web address of a page."""
    return f"{PAGES}/{path}.md"
