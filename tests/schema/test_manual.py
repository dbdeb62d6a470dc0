"""Findings about keys link to the key's place on the page about the file."""

from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_lsp.features.diagnostics import diagnostics

EVAL = """\
name: a
nmae: b
skill: s
config: {trials_per_task: x, time_out: 3, executor: mock, model: m, timeout_seconds: 0}
tasks: [a, {id: b, inputs: {prompt: p, promt: q}}]
graders:
  - type: text
    name: x
    config: {contians: [a]}
  - {type: nope, name: y, config: {a: 1}}
hooks: {after_task: [{comand: x}]}
metrics: [{weight: 1}]
"""


def test_findings_about_keys_link_to_the_page_about_the_file() -> None:
    found = {
        (str(it.code), it.code_description.href.partition("/docs/")[2])
        for it in diagnostics(snapshot_of(EVAL), CheckContext())
        if it.code_description is not None
    }
    assert found >= {
        ("unknown-key", "formats/eval.md#name"),
        ("unknown-key", "formats/eval.md#config.trials_per_task"),
        ("wrong-type", "formats/eval.md#config.trials_per_task"),
        ("out-of-range", "formats/eval.md#config.timeout_seconds"),
        ("unknown-key", "formats/task.md#inputs.prompt"),
        ("unknown-key", "graders/text.md"),
        ("unknown-key", "formats/eval.md#hooks.before_run.command"),
        ("missing-key", "formats/eval.md#metrics"),
        ("unknown-grader-type", "rules/unknown-grader-type.md"),
    }
