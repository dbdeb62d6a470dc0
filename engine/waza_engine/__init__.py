"""The grading engine: eval formats, graders, rules, runs. Knows nothing of editors or text positions.

The names in `__init__.pyi` are public, with examples in `docs/engine.md`; they keep their meaning within a major version.
All other names, in any module, may change. A public name is imported when it is first used, because the language server
and its child processes start without most of them.
"""

from waza_engine.version import __version__ as __version__


def _modules() -> dict[str, str]:
    """Return the module of each public name, from the stub."""
    # Imported late: child processes that use no public name start faster.
    import re
    from pathlib import Path

    stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    found = re.findall(r"^from (\S+) import (\w+) as", stub, re.MULTILINE)
    return {name: module for module, name in found}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__all__":
        return sorted(_modules())
    module = "" if name.startswith("__") else _modules().get(name)
    if not module:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules()})
