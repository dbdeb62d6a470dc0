"""Examples of rule pages and small suites, as files to check.

A page's block is the file at fault: a grader, a task, an eval, trigger tests or a project file. Blocks with
`file=NAME` are files beside it, named from the folder of the eval; if all blocks have names, the first file is at fault.
What an example does not show is added: an eval for a task, a task for an eval.
"""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.behaviour.findings_harness import Found
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.run import audit_suite
from waza_engine.calibration.findings import judge_findings
from waza_engine.calibration.standing import judge_standings
from waza_engine.generate.pages import rules_with_pages
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Scope
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.recordings.find import recordings_of
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot

EVAL = """\
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  inject_skill_body: false
tasks: ["tasks/*.yaml"]
"""
GRADED = EVAL + "graders:\n  - type: text\n    name: polite-eval\n    config:\n      contains: [please]\n"
TASK = """\
id: some-task
name: Some task
inputs:
  prompt: What time is it?
expected:
  output_contains: ["o'clock"]
"""
OF_SMALL_SAMPLES = {"too-few-tasks", "undecidable-threshold"}
"""Hints that most examples would have, because they are small."""
_BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """The files of a section. The first one is checked."""

    name: str
    files: Mapping[str, str]

    def check_in(self, root: Path) -> list[Found]:
        """Return the findings of the first file, with all files in `evals` and runs that start in the folder above.

        These folders are so deep that no rule looks at files above `root`, where other tests may leave some.
        """
        start = root / "a/b/c/d/e/f"
        write(start / "evals", self.files)
        return findings_at(start / "evals" / self.name, start)

    def audit_in(self, root: Path) -> list[str]:
        """Return the codes that an audit of the eval finds, without graders that cost something."""
        path = root / "evals" / "eval.yaml"
        write(path.parent, self.files)
        plan = make_plan(load_suite(path, process_dir=root), Overrides())
        recorded = {it.id: recordings_of(path, it.id, root / "no-store", 9) for it in plan.tasks}
        return [it.finding.code for it in audit_findings(audit_suite(plan, recorded, root))]

    def judged_in(self, root: Path) -> list[str]:
        """Return the codes that are found of the eval's judges, which have decided nothing yet."""
        path = root / "evals" / "eval.yaml"
        write(path.parent, self.files)
        plan = make_plan(load_suite(path, process_dir=root), Overrides())
        return [it.code for _, it in judge_findings(judge_standings(plan, (), (), root))]


def examples(page: str) -> dict[str, Example]:
    """Return the sections Example and Instead of a page. Files missing in Instead come from Example."""
    found: dict[str, Example] = {}
    beside: dict[str, str] = {}
    for heading in ("Example", "Instead"):
        section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        blocks = [(name, text) for _, name, text in _BLOCK.findall(section)]
        beside = {**beside, **{name: text for name, text in blocks if name}}
        main = next((text for name, text in blocks if not name), None)
        if main is not None:
            found[heading] = _example(main, beside)
        elif blocks:
            found[heading] = Example(
                blocks[0][0], {"eval.yaml": EVAL, "tasks/some-task.yaml": TASK, **beside}
            )
    return found


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def findings_at(path: Path, process_dir: Path) -> list[Found]:
    """Return the findings of a file on disk, with runs that start in `process_dir`."""
    snapshot = Snapshot.of(path.as_uri(), path.read_text(encoding="utf-8"))
    levels = {it.code: it.severity for it, _ in rules_with_pages() if it.opt_in}
    context = CheckContext(path, Scope(path.parent, process_dir), Files(), levels)
    return [
        Found(
            it.highlight.start.line + 1,
            snapshot.text.slice(it.highlight),
            it.finding.code,
            it.finding.message,
            str(it.finding.severity),
        )
        for it in findings(snapshot, context)
    ]


def _example(main: str, beside: Mapping[str, str]) -> Example:
    data = _data(main)
    if {"type", "config"} <= set(data) or ("type" in data and "name" in data and "skill" not in data):
        main = EVAL + "graders:\n  - " + textwrap.indent(main, "    ").lstrip()
        data = {"tasks": []}
    name = _name(data)
    added = {} if name in {".waza.yaml", ".vally.yaml"} else {"eval.yaml": GRADED}
    if not any(it.startswith("tasks/") for it in (name, *beside)):
        added["tasks/some-task.yaml"] = TASK
    return Example(name, {**added, **beside, name: main})


def _name(data: Mapping[str, Any]) -> str:
    keys = set(data)
    if "evals" in keys:
        return "ab.experiment.yaml"
    if keys & {"should_trigger_prompts", "should_not_trigger_prompts"}:
        return "trigger_tests.yaml"
    if keys & {"inputs", "id"} and "tasks_from" not in keys:
        return "tasks/first.yaml"
    if "suites" in keys:
        return ".vally.yaml"
    return ".waza.yaml" if keys and keys <= {"defaults", "paths", "cache"} else "eval.yaml"


def _data(text: str) -> Mapping[str, Any]:
    """Return the data of the longest valid start of a text."""
    lines = text.splitlines()
    for end in range(len(lines), 0, -1):
        try:
            data = plain(read_yaml("\n".join(lines[:end])))
        except YamlError:
            continue
        if isinstance(data, dict):
            return data
    return {}
