"""vally's releases, and what each of them changed in eval specs (docs/reference/vally-newest.md).

To add a release, add its row and its facts. Tests check that each place exists and each source is a section of a page.
"""

from typing import Any

from waza_engine.model.releases import Fact, Release, Releases, at_each

_PAGE = "docs/reference/vally-newest.md, section "
_OLDER = "docs/reference/vally.md, section "

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


def _key(place: str, since: str, section: str, **more: Any) -> Fact:
    return Fact(place, since=since, source=_PAGE + section, **more)


_SPEC = (
    _key("eval: defaults", "0.7", "2.1"),
    Fact(
        "eval: config",
        "Rename it to `defaults`.",
        deprecated="0.7",
        refused_since="0.15",
        before="accepted",
        sure="inferred",
        source=_PAGE + "2.1",
        fix="rename defaults",
    ),
    *at_each(
        _SETTINGS,
        Fact(
            "executor = null",
            "Name an executor, or remove the key to use the default.",
            refused_since="0.14",
            before="accepted",
            source=_PAGE + "2.2",
            fix="remove",
        ),
    ),
    *at_each(
        _SETTINGS,
        Fact(
            'executor = ""',
            "Name an executor, or remove the key to use the default.",
            refused_since="0.14",
            before="accepted",
            source=_PAGE + "2.2",
            fix="remove",
        ),
    ),
    *at_each(_SETTINGS, _key("judge_reasoning_effort", "0.9", "2.2")),
    *at_each(
        _OVERRIDES,
        _key("judge_reasoning_effort", "0.14", "2.7", before="refused"),
    ),
    _key("eval: stimuli[].turns", "0.7", "2.3", sure="inferred"),
    _key("eval: stimuli[].artifacts", "0.7", "2.3"),
    _key("eval: stimuli[].golden_trajectory", "0.14", "2.3", sure="inferred"),
    _key("eval: stimuli[].golden_patch", "0.8", "2.3"),
    *at_each(_ENTRIES, _key("turn", "0.7", "2.5", sure="inferred")),
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
    *(_key(f"grader {it}", "0.11", "2.8", sure="inferred") for it in ("max-repeat", "loop-outcome", *_DIFFS)),
    _key("grader assistant-contains-tool-output", "0.13", "2.8"),
    *(_key(f"grader {it}", "0.15", "2.8", sure="inferred") for it in _TRANSCRIPTS),
    _key("grader system-event", "0.15", "2.8"),
    _key("grader step-count", "0.15", "2.8"),
)

_OPTIONS = (
    *(_key(f"grader run-command.{it}", "0.7", "4") for it in _OUTPUT_CHECKS),
    _key("grader max-repeat.max_cycle_period", "0.12", "3.1"),
    _key("grader loop-outcome.max_cycle_period", "0.12", "3.2"),
    _key("grader diff-contains.value", "0.15", "4", sure="inferred"),
    _key("grader diff-not-contains.value", "0.15", "4", sure="inferred"),
    *(_key(f"entry {it}.turn", "0.12", "2.5") for it in _DIFFS),
    *at_each(_JUDGES, _key("evidence", "0.10", "4", sure="inferred")),
    *at_each(_JUDGES, _key("evidence[] = golden_patch", "0.10", "4", before="refused")),
    *at_each(_JUDGES, _key("evidence[] = repo", "0.14", "4", before="refused")),
    _key("grader panel.criteria", "0.15", "4", sure="inferred"),
    _key("grader panel.overall_threshold", "0.15", "4", sure="inferred"),
    _key("grader prompt.reasoning_effort", "0.15", "4", sure="inferred"),
    _key("grader prompt.output_delivery", "0.15", "4"),
    Fact(
        "grader prompt.output_delivery = inline",
        "Remove the key: evidence always goes to the judge as files.",
        refused_since="0.17",
        before="accepted",
        source=_PAGE + "4",
        fix="remove",
    ),
    Fact(
        "grader prompt.output_delivery = workspace",
        "Remove the key: evidence always goes to the judge as files.",
        deprecated="0.17",
        before="accepted",
        source=_PAGE + "4",
        fix="remove",
    ),
    _key("grader tool-calls.parallel", "0.11", "4", sure="inferred"),
    *at_each(_TOOL_LISTS, _key("read_only", "0.15", "4")),
    *at_each(_TOOL_LISTS, _key("write_only", "0.15", "4")),
    *at_each(_TOOL_LISTS, _key("pattern", "0.15", "4", sure="inferred")),
    _key("grader tool-call-count.tools", "0.13", "4"),
)

RELEASES = Releases(_RELEASES, _SPEC + _TYPES + _OPTIONS)
