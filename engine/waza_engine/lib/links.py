"""Web addresses of the project and its pages.

A module of its own because the server imports it at start, without pydantic.
"""

HOME = "https://github.com/waza-lsp/waza-lsp"
PAGES = f"{HOME}/blob/main/docs"
RULE_PAGES = f"{PAGES}/rules"


def rule_page(code: str) -> str:
    """Return the address of a rule's page."""
    return f"{RULE_PAGES}/{code}.md"


def manual_page(name: str) -> str:
    """Return the address of a page of the manual; its name is a path below `docs`, and may have an anchor."""
    page, mark, anchor = name.partition("#")
    return f"{PAGES}/{page}.md{mark}{anchor}"
