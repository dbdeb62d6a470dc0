"""Check the paths of input files and fixtures (docs/reference/waza-formats.md, sections 5.1 and 10).

Apart because checks import it without the loader.
"""

from waza_engine.lib.go.paths import cleaned, leads_out


def input_refusal(path: str) -> str:
    """Return why waza refuses the path of an input file, or "". Two dots inside a name count, too."""
    if path.startswith("/"):
        return "is absolute"
    return "contains '..'" if ".." in cleaned(path) else ""


def fixture_refusal(value: object) -> str:
    """Return why a value of `inputs.context.fixture` is invalid, or "" (docs/reference/waza-formats.md, section 5.1)."""
    if not isinstance(value, str) or not value.strip():
        return "must be a path"
    if leads_out(value) or cleaned(value) == ".":
        return f"must be a path inside the eval's directory, not '{value}'"
    return ""
