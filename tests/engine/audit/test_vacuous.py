"""Every vacuous grader that is seeded in a good task of either dialect is found, by a finding at that grader."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.engine.audit.evals import plan_of
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.placing import PlacedFinding
from waza_engine.audit.run import AuditInputs, AuditOptions, audit_task
from waza_engine.audit.task_grading import TaskMemory
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.model.judge import Judge, JudgeCall, JudgeRequest, JudgeTurn
from waza_engine.model.suite import GraderEntry, Scoring
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording

FOLDER = Path(__file__).parent / "vacuous"
SEEDED = {
    dialect: yaml.safe_load((FOLDER / f"{dialect}.yaml").read_text("utf-8")) for dialect in ("waza", "vally")
}
ALL = [(dialect, it) for dialect, its in SEEDED.items() for it in its]
VACUOUS = [(dialect, it) for dialect, it in ALL if "why" in it]
SOUND = [(dialect, it) for dialect, it in ALL if "sound" in it]

CHANGELOG = "# Changes\n\n## Unreleased\n\n- Faster start.\n- New option --out.\n- Fixed a leak.\n"
PACKAGE = '{\n  "version": "2.3.1"\n}\n'
PROMPT = "Write NOTES.md for the next version from CHANGELOG.md, and raise the minor version in package.json."
OUTPUT = (
    "NOTES.md has all 3 entries, the new option first.\n\n"
    "The version in package.json is 2.4.0 now.\n\n"
    "All is ready to be released, the changelog was not changed."
)
WRITTEN = {
    "NOTES.md": "# Version 2.4.0\n\n- New option --out.\n- Faster start.\n- Fixed a leak.\n",
    "package.json": PACKAGE.replace("2.3.1", "2.4.0"),
}
CALLS = [
    ("skill", {"skill": "notes"}),
    ("view", {"path": "CHANGELOG.md"}),
    ("create", {"path": "NOTES.md", "file_text": WRITTEN["NOTES.md"]}),
    ("edit", {"path": "package.json", "old_str": "2.3.1", "new_str": "2.4.0"}),
    ("bash", {"command": "python3 -m json.tool package.json"}),
]
WAZA = """\
name: e
skill: notes
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}
tasks: ["tasks/*.yaml"]
"""
TASK = f"""\
id: release
name: Release
inputs:
  prompt: {PROMPT}
  files: [{{path: CHANGELOG.md}}, {{path: package.json}}]
graders:
  - {{name: facts, type: text, config: {{contains: ["3 entries", "2.4.0"], regex_match: ['released, the changelog was not changed\\.$']}}}}
  - name: files
    type: file
    config:
      content_patterns:
        - {{path: NOTES.md, must_match: ['\\A# Version 2\\.4\\.0\\n\\n(- .+\\n){{3}}\\z']}}
        - {{path: package.json, must_match: ['"version": "2\\.4\\.0"\\n}}\\n\\z']}}
  - {{name: calls, type: tool_calls, config: {{required_tools: [view, create, edit, bash]}}}}
"""
VALLY = f"""\
name: e
defaults: {{executor: copilot-sdk}}
environment: {{files: [{{src: fixtures, dest: .}}]}}
stimuli:
  - name: release
    prompt: {PROMPT}
    graders:
      - {{type: output-matches, config: {{pattern: '3 entries[^]*2\\.4\\.0 now[^]*released, the changelog was not changed\\.$'}}}}
      - {{type: file-matches, config: {{path: NOTES.md, pattern: '^# Version 2\\.4\\.0\\n\\n(- .+\\n){{3}}$'}}}}
      - {{type: file-matches, config: {{path: package.json, pattern: '"version": "2\\.4\\.0"\\n}}'}}}}
      - {{type: tool-calls, config: {{required: [view, create, edit, bash]}}}}
  - name: other
    prompt: Say which version we have.
    graders: [{{type: output-contains, config: {{substring: "2.3"}}}}]
"""


class StrictJudge(Judge):
    """Gives the worst mark to all work."""

    def turn(self, _: JudgeRequest) -> JudgeTurn:
        mark = {"criteria": [{"name": "c", "score": 1, "reasoning": "r"}], "score": 1, "reasoning": "r"}
        return JudgeTurn([JudgeCall("submit_grade", mark)])

    def reply(self, message: str, model: str = "") -> None:
        raise AssertionError(message, model)


class Seedbed(NamedTuple):
    """A good task with its recorded trials, in which graders are seeded."""

    plan: Plan
    recordings: list[Recording]
    others: tuple[Trajectory, ...]
    memory: TaskMemory

    def findings(self, dialect: str, seeded: Mapping[str, Any]) -> list[PlacedFinding]:
        """Return what the audit says about the task with one more grader, at that grader."""
        data = read_yaml(yaml.safe_dump(seeded["grader"]))
        task, suite = self.plan.tasks[0], self.plan.suite
        place = (*task.pointer, "graders", len(task.graders))
        weight = seeded.get("weight", 1.0)
        entry = GraderEntry(data["type"], "seeded", weight, data.get("config"), {}, task.path, place, dialect)
        if "threshold" in seeded:
            suite = replace(suite, scoring=Scoring(seeded["threshold"]))
        task = replace(task, graders=(*task.graders, entry))
        options = AuditOptions("programs" in seeded, StrictJudge() if "judged" in seeded else None)
        audit = audit_task(
            replace(self.plan, suite=suite),
            AuditInputs(task, self.recordings, self.others),
            suite.path.parent,
            options,
            self.memory,
        )
        assert not audit.problem, audit.problem
        return [it for it in audit_findings([audit]) if it.finding.pointer == place]


@pytest.fixture(scope="module")
def seedbeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seedbed]:
    return {it: _seedbed(tmp_path_factory.mktemp(it), it) for it in SEEDED}


def _seedbed(folder: Path, dialect: str) -> Seedbed:
    texts = {"fixtures/CHANGELOG.md": CHANGELOG, "fixtures/package.json": PACKAGE}
    texts["skills/notes/SKILL.md"] = "---\nname: notes\ndescription: Writes release notes.\n---\nBe brief.\n"
    if dialect == "waza":
        other = "id: z\nname: z\ninputs: {prompt: Which version?}\ngraders: [{name: g, type: text, config: {contains: ['2.3']}}]\n"
        texts |= {"eval.yaml": WAZA, "tasks/release.yaml": TASK, "tasks/z.yaml": other}
    else:
        texts["eval.yaml"] = VALLY
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    plan = plan_of(folder / "eval.yaml")
    trial = Recording("release", 1, _trajectory("release", OUTPUT, CALLS, WRITTEN), "replay")
    other_trial = _trajectory("other", "We have version 2.3.1.", CALLS[1:2], {})
    return Seedbed(plan, [trial], (other_trial,), TaskMemory())


def _trajectory(
    task: str, output: str, tools: list[tuple[str, dict[str, str]]], written: dict[str, str]
) -> Trajectory:
    calls = [
        {"id": f"c{number}", "name": name, "arguments": arguments, "success": True}
        for number, (name, arguments) in enumerate(tools)
    ]
    transcript: list[dict[str, Any]] = [{"type": "user.message", "content": PROMPT}]
    for it in calls:
        transcript += [
            {"type": "assistant.turn_start"},
            {"type": "tool.execution_start", "tool_call_id": it["id"], "tool_name": it["name"]}
            | {"arguments": it["arguments"]},
            {"type": "tool.execution_complete", "tool_call_id": it["id"], "success": True}
            | {"tool_result": {"content": "ok"}},
            {"type": "assistant.turn_end"},
        ]
    transcript += [
        {"type": "assistant.turn_start"},
        {"type": "assistant.message", "content": output},
        {"type": "assistant.turn_end"},
    ]
    session = {
        "tool_call_count": len(calls),
        "tools_used": [name for name, _ in tools],
        "tool_calls": calls,
        "usage": {"turns": len(calls) + 1, "input_tokens": 900, "output_tokens": 90},
    }
    events = [
        {"turn": 1, "sequence": number, "tool_call_id": f"c{number}", "tool_name": name, "args": arguments}
        | {"success": True}
        for number, (name, arguments) in enumerate(tools)
    ]
    data = {"task": task, "prompt": PROMPT, "output": output, "session": session, "transcript": transcript}
    files = {"CHANGELOG.md": CHANGELOG, "package.json": PACKAGE, **written}
    return Trajectory.model_validate({**data, "tool_events": events, "files": files, "duration_ms": 9000})


def test_the_task_is_good_without_them(seedbeds: dict[str, Seedbed]) -> None:
    for bed in seedbeds.values():
        folder, task = bed.plan.suite.path.parent, bed.plan.tasks[0]
        audit = audit_task(bed.plan, AuditInputs(task, bed.recordings, bed.others), folder, memory=bed.memory)
        assert not audit.problem
        assert audit.trials == 1
        assert audit.passing_agents == []
        assert audit.mutation_score is not None
        assert audit.mutation_score > 0.6
        assert {it.finding.code for it in audit_findings([audit])} == {"surviving-mutant"}


def test_there_are_60_graders_of_all_types_that_can_be_vacuous() -> None:
    assert len(VACUOUS) >= 60
    assert len({it["grader"]["type"] for _, it in VACUOUS}) >= 30


@pytest.mark.parametrize(
    ("dialect", "seeded"), VACUOUS, ids=lambda it: it if isinstance(it, str) else it["why"]
)
def test_a_vacuous_grader_is_found(
    dialect: str, seeded: Mapping[str, Any], seedbeds: dict[str, Seedbed]
) -> None:
    [found] = seedbeds[dialect].findings(dialect, seeded)
    assert found.finding.code in {"idle-grader", "blind-grader", "prompt-words", "passes-without-work"}


@pytest.mark.parametrize(
    ("dialect", "seeded"), SOUND, ids=lambda it: it if isinstance(it, str) else it["sound"]
)
def test_a_grader_that_notices_something_is_not(
    dialect: str, seeded: Mapping[str, Any], seedbeds: dict[str, Seedbed]
) -> None:
    assert seedbeds[dialect].findings(dialect, seeded) == []
