"""Web addresses of the project and its pages.

A module of its own because the server imports it at start, without pydantic.
"""

HOME = "https://github.com/waza-lsp/waza-lsp"
PAGES = f"{HOME}/blob/main/docs"
RULE_PAGES = f"{PAGES}/rules"


def rule_page(code: str) -> str:
    """Return the address of a rule's page."""
    return f"{RULE_PAGES}/{code}.md"
