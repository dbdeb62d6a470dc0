"""Where the project and its pages are on the web."""

HOME = "https://github.com/waza-lsp/waza-lsp"
PAGES = f"{HOME}/blob/main/docs"
RULE_PAGES = f"{PAGES}/rules"


def rule_page(code: str) -> str:
    """The address of the page about a finding."""
    return f"{RULE_PAGES}/{code}.md"
