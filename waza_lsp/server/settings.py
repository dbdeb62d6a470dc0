"""The settings under `waza.*`: typed, with defaults. An invalid value gives a message, and the default applies.

`python -m waza_lsp.generate` writes the settings of the VS Code extension and `docs/settings.md` from here.
"""

import asyncio
import dataclasses
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from waza_engine.lib.process.environment import PASS_VARIABLE
from waza_engine.lib.process.sandbox_choice import IMAGE_VARIABLE, KINDS, NETWORK_VARIABLE, SANDBOX_VARIABLE
from waza_engine.project.levels import Levels
from waza_lsp.server.coexistence import FEATURES
from waza_lsp.server.setting_kinds import (
    COUNT,
    FLAG,
    LEVELS,
    NAMES,
    TEXT,
    TYPES,
    VARIABLES,
    VERSION,
    reader_of,
    value_at,
)


class Setting(NamedTuple):
    """The documentation of a setting: its name below `waza.`, its description, and its JSON Schema without the default."""

    name: str
    description: str
    schema: Mapping[str, Any]


def _setting(name: str, schema: Mapping[str, Any], description: str) -> dict[str, Setting]:
    return {"setting": Setting(name, description, schema)}


@dataclass(frozen=True, slots=True)
class Settings:
    """One field per setting."""

    rules: Levels = field(
        default_factory=dict,
        metadata=_setting(
            "rules",
            LEVELS,
            "Levels of findings: a code with `error`, `warning`, `information`, `hint` or `off`. "
            "The `.waza-lsp.toml` of a project takes precedence.",
        ),
    )
    target: str = field(
        default="",
        metadata=_setting(
            "target",
            VERSION,
            "The version of waza that you use, such as `0.34`. Anything newer is reported. Empty means the newest. "
            "The `.waza-lsp.toml` of a project takes precedence.",
        ),
    )
    vally_target: str = field(
        default="",
        metadata=_setting(
            "vally.target",
            VERSION,
            "The version of vally that you use, such as `0.17`. Anything newer is reported, and whatever this version "
            "refuses. Empty means `waza.target`, then the version in package.json or a lock file, then the newest. "
            "The `.waza-lsp.toml` of a project takes precedence.",
        ),
    )
    waza_grader_types: tuple[str, ...] = field(
        default=(),
        metadata=_setting(
            "extraGraderTypes",
            TYPES,
            "Grader types of your own that waza-lsp does not know. They are not reported. Types in the "
            "`.waza-lsp.toml` of a project are added.",
        ),
    )
    extra_grader_types: tuple[str, ...] = field(
        default=(),
        metadata=_setting(
            "vally.extraGraderTypes",
            TYPES,
            "Grader types from plug-ins of vally. They are not reported, and other unknown types are only hints. "
            "Types in the `.waza-lsp.toml` of a project are added.",
        ),
    )
    diagnostics_workspace: bool = field(
        default=True,
        metadata=_setting(
            "diagnostics.workspace",
            FLAG,
            "Report findings in all eval files of the workspace, not only in open ones, to editors that pull them.",
        ),
    )
    lens_run: bool = field(
        default=True,
        metadata=_setting("lens.run", FLAG, "Show a lens that runs the task or the whole eval."),
    )
    lens_run_failed: bool = field(
        default=True,
        metadata=_setting(
            "lens.runFailed",
            FLAG,
            "Show a lens that runs the tasks of an eval whose last result was not a pass.",
        ),
    )
    lens_grade: bool = field(
        default=True,
        metadata=_setting(
            "lens.grade", FLAG, "Show a lens that grades the recorded runs again, without running the agent."
        ),
    )
    lens_result: bool = field(
        default=True,
        metadata=_setting("lens.result", FLAG, "Show the last result of tasks and evals as a lens."),
    )
    results_inline: bool = field(
        default=True,
        metadata=_setting(
            "results.inline",
            FLAG,
            "Show the failed checks of the last run at their places in the text.",
        ),
    )
    audit_enable: bool = field(
        default=True,
        metadata=_setting(
            "audit.enable",
            FLAG,
            "Audit the tasks of open evals: show which tasks pass for agents that do no work, and which broken work passes. Nothing is "
            "executed.",
        ),
    )
    lens_audit: bool = field(
        default=True,
        metadata=_setting("lens.audit", FLAG, "Show the audit of tasks and evals as a lens."),
    )
    lens_judge: bool = field(
        default=True,
        metadata=_setting(
            "lens.judge",
            FLAG,
            "Show above a grader with a judge how well the judge agrees with people, and how often it flips.",
        ),
    )
    lens_skill: bool = field(
        default=True,
        metadata=_setting(
            "lens.skill",
            FLAG,
            "Show in a SKILL.md which evals test the skill, with their last score, and lenses that run and audit them.",
        ),
    )
    live_enable: bool = field(
        default=True,
        metadata=_setting(
            "live.enable",
            FLAG,
            "Grade recorded runs again after each edit of a grader, and show the verdict at the grader. Graders that "
            "execute programs are graded only after you have run the eval. Graders that ask a model are never graded.",
        ),
    )
    inlay_live: bool = field(
        default=True,
        metadata=_setting(
            "inlayHints.live",
            FLAG,
            "Show that an edited grader passes on the recorded runs.",
        ),
    )
    inlay_matches: bool = field(
        default=True,
        metadata=_setting("inlayHints.matches", FLAG, "Show how many files a pattern matches."),
    )
    inlay_weights: bool = field(
        default=True,
        metadata=_setting(
            "inlayHints.weights",
            FLAG,
            "Show each grader's share of a task's score, if any grader has a weight.",
        ),
    )
    inlay_inherited: bool = field(
        default=True,
        metadata=_setting(
            "inlayHints.inherited",
            FLAG,
            "Show what tasks and graders inherit from the eval or the project: executor, model, time limit, judge.",
        ),
    )
    inlay_flags: bool = field(
        default=True,
        metadata=_setting(
            "inlayHints.flags",
            FLAG,
            "Show the meaning of the flags at the start of a regular expression.",
        ),
    )
    inlay_power: bool = field(
        default=True,
        metadata=_setting(
            "inlayHints.power",
            FLAG,
            "Show at the number of trials how exactly the eval knows its pass rate, and what an experiment can show.",
        ),
    )
    inlay_defaults: bool = field(
        default=False,
        metadata=_setting(
            "inlayHints.defaults",
            FLAG,
            "Show omitted options of graders whose defaults affect the verdict.",
        ),
    )
    format_enable: bool = field(
        default=False,
        metadata=_setting(
            "format.enable",
            FLAG,
            "Offer formatting: line ends, the end of the file, stray indentation, and the indentation after Enter. "
            "Leave it off if another formatter handles YAML.",
        ),
    )
    beside: tuple[str, ...] = field(
        default=(),
        metadata=_setting(
            "beside",
            NAMES,
            "The features that another YAML server in the editor already provides. This server leaves them out: "
            + ", ".join(f"`{it}`" for it in FEATURES)
            + ". See [Beside other YAML servers](coexistence.md).",
        ),
    )
    run_executor: str = field(
        default="",
        metadata=_setting(
            "run.executor", TEXT, "Executor for runs from the editor; empty means the eval's own."
        ),
    )
    run_model: str = field(
        default="",
        metadata=_setting("run.model", TEXT, "Model for runs from the editor; empty means the eval's own."),
    )
    run_ask_above_tokens: int = field(
        default=500_000,
        metadata=_setting(
            "run.askAboveTokens",
            COUNT,
            "Ask before a run from the editor that will probably spend more tokens than this, judged by earlier runs. "
            "0 never asks.",
        ),
    )
    run_agent_command: str = field(
        default="",
        metadata=_setting(
            "run.agentCommand",
            TEXT,
            "Command that starts the agent in runs from the editor, instead of the eval's executor, such as "
            "`my-agent --print {prompt}`. Empty means the eval's own. It does not change runs with `waza.run.executor`.",
        ),
    )
    run_pass_environment: tuple[str, ...] = field(
        default=(),
        metadata=_setting(
            "run.passEnvironment",
            VARIABLES,
            "Environment variables that agents, hooks and graders' programs get besides the usual ones: names, or globs "
            "such as `AZURE_*`. Name the key that your agent needs. See [Sandboxes](sandbox.md#environment).",
        ),
    )
    run_sandbox: str = field(
        default="",
        metadata=_setting(
            "run.sandbox",
            {"type": "string", "enum": ["", *KINDS]},
            "How runs and gradings from the editor confine agents, hooks and graders' programs. Empty means `sandbox` in "
            "the `.waza-lsp.toml` of a project, else `none`. See [Sandboxes](sandbox.md).",
        ),
    )
    run_sandbox_network: bool = field(
        default=True,
        metadata=_setting(
            "run.sandboxNetwork",
            FLAG,
            "Whether programs in the sandbox of `waza.run.sandbox` reach the network. Most agents need it.",
        ),
    )
    run_sandbox_image: str = field(
        default="",
        metadata=_setting("run.sandboxImage", TEXT, "The image for the sandbox `docker`."),
    )

    @property
    def run_environment(self) -> dict[str, str]:
        """The variables that hand these settings to runs and gradings, added to our environment."""
        passed = ",".join(filter(None, (os.environ.get(PASS_VARIABLE, ""), *self.run_pass_environment)))
        result = {PASS_VARIABLE: passed} if passed else {}
        if self.run_sandbox:
            network = "on" if self.run_sandbox_network else "off"
            result |= {SANDBOX_VARIABLE: self.run_sandbox, NETWORK_VARIABLE: network}
            if self.run_sandbox_image:
                result[IMAGE_VARIABLE] = self.run_sandbox_image
        return result

    @property
    def targets(self) -> dict[str, str]:
        """The versions of single runners, by dialect: the settings `<dialect>.target`."""
        names = {it.name: documentation_of(it).name for it in dataclasses.fields(self)}
        end = ".target"
        return {name.removesuffix(end): getattr(self, it) for it, name in names.items() if name.endswith(end)}


def documentation_of(setting_field: dataclasses.Field[Any]) -> Setting:
    """The documentation of a field of `Settings`."""
    setting: Setting = setting_field.metadata["setting"]
    return setting


def read_settings(values: Any) -> tuple[Settings, list[str]]:
    """Return the settings of the client's `waza` section, and a message for each invalid value."""
    found: dict[str, Any] = {}
    problems = [*_invalid_sections(values)]
    defaults = Settings()
    for setting_field in dataclasses.fields(Settings):
        name = documentation_of(setting_field).name
        value = value_at(values, name.split("."))
        if value is not None:
            found[setting_field.name], messages = reader_of(documentation_of(setting_field).schema)(
                value, f"waza.{name}", getattr(defaults, setting_field.name)
            )
            problems += messages
    return Settings(**found), problems


def _invalid_sections(values: Any) -> Iterator[str]:
    """Yield a message for each section that is not an object. Some clients write an empty one as a list."""
    names = (documentation_of(it).name.split(".") for it in dataclasses.fields(Settings))
    for parts in sorted({tuple(it[:depth]) for it in names for depth in range(len(it))}):
        value = value_at(values, [*parts])
        if value != [] and isinstance(value, str | int | float | list):
            yield f"Setting {'.'.join(('waza', *parts))} must be an object; it is ignored"


class Configuration:
    """The settings in force, and what another server beside ours already provides."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.beside_at_start: frozenset[str] = frozenset()
        """The features of another server, as the client said in `initialize`; see `coexistence`."""
        self.updates = 0
        """How often the client has sent settings without a request."""
        self.is_known = asyncio.Event()
        """Cleared while the server waits for requested settings."""
        self.is_known.set()

    @property
    def beside(self) -> frozenset[str]:
        """The features that another server already provides."""
        return self.beside_at_start.union(self.settings.beside)

    def update(self, values: object) -> list[str]:
        """Take over the client's `waza` section. Returns a message for each value that is not usable."""
        self.settings, problems = read_settings(values)
        return problems
