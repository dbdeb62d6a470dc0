"""vally's releases, and what each of them changed in eval specs (docs/reference/vally-newest.md).

To add a release, add its row and its facts. Tests check that each place exists and each source is a section of a page.
"""

from typing import Any

from waza_engine.recognition.releases import Fact, Release, Releases, at_each

_PAGE = "docs/reference/vally-newest.md, section "

_RELEASES = (
    Release("0.3.0", "2026-04-29"),
    Release("0.4.0", "2026-05-04"),
    Release("0.5.0", "2026-05-21"),
    Release("0.7.0", "2026-06-30"),
    Release("0.8.0", "2026-07-08"),
    Release("0.9.0"),
    Release("0.10.0", "2026-07-16"),
    Release("0.11.0", "2026-07-22"),
    Release("0.12.0", "2026-07-30"),
    Release("0.13.0", "2026-08-07"),
    Release("0.14.0", "2026-08-18"),
    Release("0.15.0", "2026-08-31"),
    Release("0.16.0", "2026-09-08"),
    Release("0.17.0", "2026-09-23"),
    Release("0.18.0", "2026-10-05"),
    Release("0.19.0", "2026-10-13"),
)

_SETTINGS = ("eval: defaults.", "eval: config.")
_ENTRIES = ("eval: stimuli[].graders[].", "eval: graders[].")
_OVERRIDES = ("experiment: overrides.", "experiment: variants.*.overrides.")
_ENVIRONMENTS = (
    *(
        f"eval: {level}{name}."
        for level in ("", "stimuli[].")
        for name in ("environment", "agent_environment", "grading_environment")
    ),
    "project: environments.*.",
    "experiment: variants.*.environment.",
)


def _key(place: str, since: str, section: str, **more: Any) -> Fact:
    return Fact(place, since=since, source=_PAGE + section, **more)


def _seen(place: str, since: str, section: str, **more: Any) -> Fact:
    """Return a fact about a key that was first seen in a version, and may be older."""
    return Fact(place, since=since, source=_PAGE + section, sure="inferred", **more)


def _refused(place: str, note: str, since: str, section: str, **more: Any) -> Fact:
    return Fact(place, note, refused_since=since, source=_PAGE + section, **more)


_NO_EXECUTOR = "Name an executor, or remove the key to use the default."


def _option(place: str, since: str, section: str, **more: Any) -> Fact:
    """Return the fact about a grader's option, which versions without it refuse (docs/reference/vally.md, section 6)."""
    return _key(place, since, section, before="refused", **more)


_SPEC = (
    _key("eval: defaults", "0.7", "2.1"),
    _refused(
        "eval: config",
        "Rename it to `defaults`.",
        "0.15",
        "2.1",
        deprecated="0.7",
        before="accepted",
        sure="inferred",
        fix="rename defaults",
    ),
    _key("eval: scoring.timeout", "0.19", "2.1"),
    _seen("eval: agent_environment", "0.14", "2.1"),
    *at_each(_SETTINGS, _key("reasoning_effort", "0.11", "2.2")),
    *at_each(_SETTINGS, _key("judge_reasoning_effort", "0.9", "2.2")),
    *at_each(_SETTINGS, _key("judge_provider", "0.14", "2.2")),
    *at_each(
        _SETTINGS,
        Fact(
            "judge_model",
            "The default of the judge is `gpt-5.6-terra`, before it was `claude-sonnet-4.6`.",
            changed="0.17",
            source=_PAGE + "2.2",
        ),
    ),
    *at_each(
        _SETTINGS,
        Fact(
            "executor",
            "The name is not checked before the run any more.",
            changed="0.12",
            source=_PAGE + "2.2",
        ),
    ),
    *at_each(_SETTINGS, _key("executor = {}", "0.13", "2.2", before="refused")),
    *(
        it
        for value in ("null", '""')
        for it in at_each(
            _SETTINGS,
            _refused(f"executor = {value}", _NO_EXECUTOR, "0.14", "2.2", before="accepted", fix="drop"),
        )
    ),
)

_STIMULI = (
    _refused(
        "eval: stimuli[].*",
        "vally refuses unknown keys of a stimulus since 0.17; older versions ignored them.",
        "0.17",
        "2.3",
        before="ignored",
        sure="read once",
    ),
    _seen("eval: stimuli[].turns", "0.7", "2.5"),
    _key("eval: stimuli[].artifacts", "0.7", "2.3"),
    Fact(
        "eval: stimuli[].golden_patch",
        "Judges get the patch only with `evidence: [golden_patch]`.",
        since="0.8",
        changed="0.10",
        source=_PAGE + "2.3",
    ),
    _seen("eval: stimuli[].golden_trajectory", "0.14", "2.3"),
    _key("eval: stimuli[].golden_command", "0.17", "2.3", sure="read once"),
    _seen("eval: stimuli[].golden_custom_metrics", "0.15", "2.3"),
    _key("eval: stimuli[].attachments", "0.11", "2.3", sure="read once"),
    _key("eval: stimuli[].simulation", "0.17", "2.3"),
    _key("eval: stimuli[].constraints.max_duration", "0.4", "2.2"),
    _seen("eval: stimuli[].constraints.max_agent_duration", "0.15", "2.3"),
    *at_each(
        _ENVIRONMENTS,
        _refused(
            "git.*",
            "vally refuses unknown keys of `git` since 0.12, also in named environments that no eval uses.",
            "0.12",
            "2.4",
            before="ignored",
        ),
    ),
    *at_each(_ENTRIES, _seen("turn", "0.7", "2.5")),
    *(
        _key(f"entry {it}.turn", "0.12", "2.5", before="refused")
        for it in ("diff-contains", "diff-not-contains", "diff-empty")
    ),
    Fact(
        "rule conflicting-keys defaults",
        refused_since="0.14",
        before="accepted",
        source="docs/reference/vally.md, section 0",
    ),
    Fact(
        "rule bad-grader-name",
        "Names of graders must be kebab-case, at most 60 characters long, and unique in a stimulus.",
        refused_since="0.16",
        before="accepted",
        sure="read once",
        source=_PAGE + "2.5",
    ),
)

_PROJECTS = (
    _key("project: metadata", "0.17", "2.6", sure="read once"),
    _key("project: suites.*.metadata", "0.17", "2.6", sure="read once"),
)

_EXPERIMENTS = (
    _refused(
        "experiment: filter",
        "Use the filter of a suite in `.vally.yaml`, or `--eval-filter`.",
        "0.18",
        "2.7",
        before="accepted",
        sure="read once",
        fix="offer",
    ),
    *(
        _key(f"{place}{name}", "0.14", "2.7", before="refused")
        for name in ("reasoning_effort", "judge_reasoning_effort")
        for place in (
            *_OVERRIDES,
            "experiment: vary[] = /defaults/",
            "experiment: matrix.*.path = /defaults/",
        )
    ),
    *at_each(_OVERRIDES, _key("judge_provider", "0.14", "2.2")),
    *at_each(_OVERRIDES, _key("executor = {}", "0.13", "2.2", before="refused")),
    *(
        it
        for value in ("null", '""')
        for it in at_each(
            _OVERRIDES,
            _refused(f"executor = {value}", _NO_EXECUTOR, "0.14", "2.2", before="accepted", fix="drop"),
        )
    ),
)

_JUDGES = ("grader prompt.", "grader panel.")
_DIFFS = ("diff-contains", "diff-not-contains", "diff-empty")
_TOOL_LISTS = tuple(f"grader tool-calls.{it}[]." for it in ("required", "disallowed", "sequence", "parallel"))
_BUDGETS = ("token-budget", "tool-call-count", "turn-count", "error-count", "wall-time")
_TRANSCRIPTS = tuple(f"transcript-{it}" for it in ("contains", "matches", "not-contains", "not-matches"))
_OUTPUT_CHECKS = ("stdout_contains", "stderr_contains", "stdout_matches", "stdout_not_matches")

_TYPES = (
    *(_key(f"grader {it}", "0.4", "2.8") for it in _BUDGETS),
    _key("grader panel", "0.5", "2.8"),
    _key("grader custom-metrics", "0.8", "2.8"),
    *(_seen(f"grader {it}", "0.11", "2.8") for it in ("max-repeat", "loop-outcome", *_DIFFS)),
    _key("grader assistant-contains-tool-output", "0.13", "2.8"),
    *(_seen(f"grader {it}", "0.15", "2.8") for it in _TRANSCRIPTS),
    _key("grader system-event", "0.15", "2.8"),
    _key("grader step-count", "0.15", "2.8"),
)

_OPTIONS = (
    *(_option(f"grader run-command.{it}", "0.7", "4") for it in _OUTPUT_CHECKS),
    _option("grader max-repeat.max_cycle_period", "0.12", "3.1"),
    _option("grader loop-outcome.max_cycle_period", "0.12", "3.2"),
    _seen("grader diff-contains.value", "0.15", "4"),
    _seen("grader diff-not-contains.value", "0.15", "4"),
    *at_each(_JUDGES, _seen("evidence", "0.10", "4")),
    *at_each(_JUDGES, _option("evidence[] = golden_patch", "0.10", "4")),
    *at_each(_JUDGES, _option("evidence[] = repo", "0.14", "4")),
    _seen("grader panel.criteria", "0.15", "4"),
    _seen("grader panel.overall_threshold", "0.15", "4"),
    _seen("grader prompt.reasoning_effort", "0.15", "4"),
    _option("grader prompt.output_delivery", "0.15", "4"),
    Fact(
        "grader prompt.output_delivery = inline",
        "Remove the key: evidence always goes to the judge as files.",
        refused_since="0.17",
        before="accepted",
        source=_PAGE + "4",
        fix="drop",
    ),
    Fact(
        "grader prompt.output_delivery = workspace",
        "Remove the key: evidence always goes to the judge as files.",
        deprecated="0.17",
        before="accepted",
        source=_PAGE + "4",
        fix="remove",
    ),
    _seen("grader tool-calls.parallel", "0.11", "4"),
    *at_each(_TOOL_LISTS, _option("read_only", "0.15", "4")),
    *at_each(_TOOL_LISTS, _option("write_only", "0.15", "4")),
    *at_each(_TOOL_LISTS, _seen("pattern", "0.15", "4")),
    _option("grader tool-call-count.tools", "0.13", "4"),
)

RELEASES = Releases(_RELEASES, _SPEC + _STIMULI + _PROJECTS + _EXPERIMENTS + _TYPES + _OPTIONS)
