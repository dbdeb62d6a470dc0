"""Which paths waza takes for input files and fixtures (docs/reference/waza-formats.md, sections 5.1 and 10)."""

from waza_engine.lib.go.paths import cleaned, leads_out


def input_refusal(path: str) -> str:
    """Why waza does not take a path of an input file; empty when it does. Two dots count inside a name, too."""
    if path.startswith("/"):
        return "is absolute"
    return "contains '..'" if ".." in cleaned(path) else ""


def fixture_refusal(value: object) -> str:
    """Why `inputs.context.fixture` cannot be this value; empty when it can (docs/reference/waza-formats.md, section 5.1)."""
    if not isinstance(value, str) or not value.strip():
        return "must be a path"
    if leads_out(value) or cleaned(value) == ".":
        return f"must be a path below the eval's directory, not '{value}'"
    return ""
