"""The settings under `waza.*`: typed, all with defaults; a value that cannot be used gives a message and the default.

The settings of the VS Code extension and `docs/settings.md` are written from here (`settings_docs.py`).
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from waza_engine.checking.levels import LEVEL_NAMES, Levels, read_levels
from waza_engine.checking.names import read_names
from waza_engine.checking.target import VERSION_PATTERN, read_target
from waza_lsp.server.coexistence import FEATURES, is_feature, read_beside


class Setting(NamedTuple):
    """What people see of a setting: its name below `waza.`, its description, and its JSON Schema without the default."""

    name: str
    description: str
    schema: Mapping[str, Any]


_FLAG = {"type": "boolean"}
_TEXT = {"type": "string"}
_VERSION = {"type": "string", "pattern": VERSION_PATTERN}
_NAMES = {"type": "array", "items": {"type": "string", "enum": list(FEATURES)}, "uniqueItems": True}
_TYPES = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
_LEVELS = {"type": "object", "additionalProperties": {"type": "string", "enum": list(LEVEL_NAMES)}}


def _about(name: str, schema: Mapping[str, Any], description: str) -> dict[str, Setting]:
    return {"setting": Setting(name, description, schema)}


@dataclass(frozen=True, slots=True)
class Settings:
    """One field per setting."""

    rules: Levels = field(
        default_factory=dict,
        metadata=_about(
            "rules",
            _LEVELS,
            "How much to say about each finding: its code with `error`, `warning`, `information`, `hint` or `off`. "
            "What the `.waza-lsp.toml` of a project says about a code comes first.",
        ),
    )
    target: str = field(
        default="",
        metadata=_about(
            "target",
            _VERSION,
            "The waza version that is used, such as `0.34`: what is newer is a finding. Empty means the newest. "
            "The `target` in the `.waza-lsp.toml` of a project comes first.",
        ),
    )
    extra_grader_types: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "vally.extraGraderTypes",
            _TYPES,
            "Grader types that plug-ins of vally add: nothing is said about them, and other unknown types are only a hint. "
            "Those of the `.waza-lsp.toml` of a project come on top.",
        ),
    )
    diagnostics_workspace: bool = field(
        default=True,
        metadata=_about(
            "diagnostics.workspace",
            _FLAG,
            "Report findings in all eval files of the workspace, not only in open ones, to editors that ask for them.",
        ),
    )
    lens_run: bool = field(
        default=True, metadata=_about("lens.run", _FLAG, "Show a lens that runs the task or the whole eval.")
    )
    lens_run_failed: bool = field(
        default=True,
        metadata=_about(
            "lens.runFailed",
            _FLAG,
            "Show a lens that runs the tasks of an eval whose last result was not a pass.",
        ),
    )
    lens_grade: bool = field(
        default=True,
        metadata=_about(
            "lens.grade", _FLAG, "Show a lens that grades what was recorded again, without running the agent."
        ),
    )
    lens_result: bool = field(
        default=True,
        metadata=_about("lens.result", _FLAG, "Show the last result of tasks and evals as a lens."),
    )
    results_inline: bool = field(
        default=True,
        metadata=_about(
            "results.inline",
            _FLAG,
            "Show the checks that failed in the last run where they stand in the text.",
        ),
    )
    live_enable: bool = field(
        default=True,
        metadata=_about(
            "live.enable",
            _FLAG,
            "Grade what was recorded again after each edit of a grader, and show the verdict there. Graders that "
            "execute something are graded only once the eval was run, graders that ask a model never.",
        ),
    )
    inlay_matches: bool = field(
        default=True,
        metadata=_about("inlayHints.matches", _FLAG, "Show behind a pattern how many files it matches."),
    )
    inlay_weights: bool = field(
        default=True,
        metadata=_about(
            "inlayHints.weights",
            _FLAG,
            "Show behind the weight of a grader its part in the score of a task, once a weight is given.",
        ),
    )
    inlay_inherited: bool = field(
        default=True,
        metadata=_about(
            "inlayHints.inherited",
            _FLAG,
            "Show what tasks and graders take from the eval or the project: executor, model, time limit, judge.",
        ),
    )
    inlay_flags: bool = field(
        default=True,
        metadata=_about(
            "inlayHints.flags",
            _FLAG,
            "Show behind a regular expression what the flags at its start mean.",
        ),
    )
    inlay_defaults: bool = field(
        default=False,
        metadata=_about(
            "inlayHints.defaults",
            _FLAG,
            "Show defaults of graders that decide a verdict and are not written.",
        ),
    )
    format_enable: bool = field(
        default=False,
        metadata=_about(
            "format.enable",
            _FLAG,
            "Offer formatting: ends of lines, the end of the file, stray indentation; and the indentation after Enter. "
            "Leave it off when another formatter takes care of YAML.",
        ),
    )
    beside: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "beside",
            _NAMES,
            "What another YAML server in the editor already gives; it is left out here as far as it is nothing special: "
            + ", ".join(f"`{it}`" for it in FEATURES)
            + ". See [Beside other YAML servers](coexistence.md).",
        ),
    )
    run_executor: str = field(
        default="",
        metadata=_about(
            "run.executor", _TEXT, "Executor for runs from the editor; empty means the eval's own."
        ),
    )
    run_model: str = field(
        default="",
        metadata=_about("run.model", _TEXT, "Model for runs from the editor; empty means the eval's own."),
    )


def setting_of(it: dataclasses.Field[Any]) -> Setting:
    """What people see of a field of `Settings`."""
    setting: Setting = it.metadata["setting"]
    return setting


def read_settings(values: Any) -> tuple[Settings, list[str]]:
    """Settings from the client's `waza` section, and a message for every value that cannot be used."""
    found: dict[str, Any] = {}
    problems = [*_no_sections(values)]
    defaults = Settings()
    for it in dataclasses.fields(Settings):
        name = setting_of(it).name
        value = _looked_up(values, name.split("."))
        if value is not None:
            found[it.name], said = _reader(setting_of(it))(value, f"waza.{name}", getattr(defaults, it.name))
            problems += said
    return Settings(**found), problems


def _no_sections(values: Any) -> Iterator[str]:
    """What stands in the place of a section; an empty list is how some clients write an empty one."""
    names = (setting_of(it).name.split(".") for it in dataclasses.fields(Settings))
    for parts in sorted({tuple(it[:depth]) for it in names for depth in range(len(it))}):
        value = _looked_up(values, [*parts])
        if value != [] and isinstance(value, str | int | float | list):
            yield f"Setting {'.'.join(('waza', *parts))} must be an object; it is ignored"


def _flag_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    fits = isinstance(value, bool)
    return (
        (value, [])
        if fits
        else (default, [f"Setting {name} must be true or false; {str(default).lower()} is used"])
    )


def _text_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    fits = isinstance(value, str)
    return (value, []) if fits else (default, [f"Setting {name} must be a text; it is taken as empty"])


def _levels_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_levels(value, f"Setting {name}")


def _names_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    if not isinstance(value, (list, tuple)):
        return (), [f"Setting {name} must be a list; it is taken as empty"]
    unknown = [it for it in value if not is_feature(it)]
    said = f"Setting {name}: unknown {', '.join(map(repr, unknown))}; there are {', '.join(FEATURES)}"
    return tuple(sorted(read_beside(value))), [said] if unknown else []


def _types_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_names(value, f"Setting {name}")


def _version_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_target(value, f"Setting {name}")


_Reader = Callable[[Any, str, Any], tuple[Any, list[str]]]
_READERS: dict[str, _Reader] = {
    "boolean": _flag_from,
    "string": _text_from,
    "object": _levels_from,
    "array": _names_from,
}


def _reader(setting: Setting) -> _Reader:
    special = {id(_VERSION): _version_from, id(_TYPES): _types_from}
    return special.get(id(setting.schema), _READERS[setting.schema["type"]])


def _looked_up(values: Any, parts: list[str]) -> Any:
    for part in parts:
        values = values.get(part) if isinstance(values, Mapping) else getattr(values, part, None)
    return values
