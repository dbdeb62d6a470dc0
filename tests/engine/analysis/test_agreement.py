"""The checks and the engine agree about grader entries: an error of one is a refusal of the other.

Entries are the examples of all grader and rule pages, and variants of them with one thing broken: wrong types, unknown
keys, near misses, values out of range, empty values and patterns that do not compile.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.analysis.pipeline import check_file
from waza_engine.dialects.vally.rules.bad_grader_name import BAD_GRADER_NAME
from waza_engine.generate.pages import rules_with_pages
from waza_engine.generate.schemas.graders import grader_types
from waza_engine.graders.context import GradingContext
from waza_engine.graders.result import GraderFailure, GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding, Severity
from waza_engine.model.suite import LoadError
from waza_engine.model.trajectory import Session
from waza_engine.project.load_suite import load_suite
from waza_engine.recognition.recognise import dialect, dialects
from waza_engine.runs.planning.preflight import refuse_unreadable_graders

Entry = dict[str, Any]

FILES = {
    "t.yaml": "id: t\nname: t\ninputs: {prompt: hi}\n",
    "skills/azure-deploy": "---\nname: azure-deploy\ndescription: Deploys to Azure.\n---\nDeploy.\n",
    "schemas/report.json": "{}",
}
"""A task, and files that the examples name."""
RUNS_OLD_SPECS = {"pairwise"}
"""Types that the newest runner has removed, so that the check reports them. Ours still grades them."""
SCALARS = [None, "", " ", 5, -1, 1.5, 10**20, True, "10", "(", "(?=a)", "x"]
BROKEN: list[Any] = [
    *SCALARS,
    [],
    {},
    [1],
    [None],
    [None, "a"],
    [""],
    ["("],
    [["a"]],
    ["a", "a"],
    {"a": "b"},
    [{"a": "b"}],
]


@dataclass(frozen=True)
class Sample:
    """An entry of one dialect."""

    dialect: str
    entry: Entry

    def write(self, folder: Path) -> Path:
        """Write an eval with the entry; JSON is YAML."""
        for name, text in FILES.items():
            if not (folder / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
        config = {"trials_per_task": 1, "timeout_seconds": 9, "executor": "mock", "model": "m"}
        eval_of = {
            "waza": {
                "name": "n",
                "skill": "s",
                "config": config,
                "tasks": ["t.yaml"],
                "graders": [self.entry],
            },
            "vally": {"name": "v", "stimuli": [{"name": "a", "prompt": "hi", "graders": [self.entry]}]},
        }
        path = folder / "eval.yaml"
        path.write_text(json.dumps(eval_of[self.dialect]))
        return path

    @property
    def place(self) -> tuple[str | int, ...]:
        return ("graders", 0) if self.dialect == "waza" else ("stimuli", 0, "graders", 0)


def examples_of_graders() -> Iterator[Sample]:
    """Yield the example of each grader page, and each option with its own examples."""
    for it in dialects():
        if it.name not in {"waza", "vally"}:
            continue
        for kinds in grader_types(it).values():
            for kind in kinds:
                blocks = re.findall(r"```yaml\n(.*?)```", kind.page().partition("## Example")[2], re.DOTALL)
                yield from (Sample(it.name, _data(block)) for block in blocks)
                options = {
                    name: info.examples[0] for name, info in kind.model_fields.items() if info.examples
                }
                yield Sample(it.name, {"type": kind.type_name, "name": "g", "config": options})


def examples_of_rules() -> Iterator[Sample]:
    """Yield the grader entries of all rule pages."""
    for _, module in rules_with_pages():
        for block in re.findall(r"```yaml\n(.*?)```", module.__doc__ or "", re.DOTALL):
            try:
                data = _data(block)
            except YamlError:
                continue
            yield from _entries_in(data)


def _data(block: str) -> Any:
    return json.loads(json.dumps(plain(read_yaml(block)), default=str))


def _entries_in(data: Any) -> Iterator[Sample]:
    if not isinstance(data, dict):
        return
    if isinstance(data.get("type"), str) and ("config" in data or "name" in data):
        yield from (Sample(it, data) for it in _dialects_with(data["type"]))
        return
    for value in data.values():
        for item in value if isinstance(value, list) else (value,):
            yield from _entries_in(item)


@cache
def _types() -> dict[str, set[str]]:
    return {it.name: set(grader_types(it)) for it in dialects() if it.name in {"waza", "vally"}}


def _dialects_with(type_name: str) -> list[str]:
    return [name for name, types in _types().items() if type_name in types]


def reported(sample: Sample, folder: Path) -> list[Finding]:
    """Return the errors that the check finds in the entry.

    Names are left out: vally refuses some since 0.16, and verdicts on older recordings must stay possible.
    """
    size = len(sample.place)
    return [
        it
        for it in check_file(sample.write(folder), process_dir=folder)
        if (it.severity is Severity.ERROR or it.refused) and it.pointer[:size] == sample.place
        if it.rule is not BAD_GRADER_NAME
    ]


def refusal(sample: Sample, folder: Path) -> str:
    """Return the message with which a run of the eval refuses, "" if it starts."""
    try:
        refuse_unreadable_graders(load_suite(sample.write(folder), process_dir=folder), folder)
    except LoadError as error:
        return error.message
    return ""


def verdict(sample: Sample, folder: Path, *, newest: bool = True) -> GraderVerdict | GraderFailure:
    """Return the verdict on a trial that did nothing: of `waza-lsp grade`, or of a regrade, which has old types too."""
    context = GradingContext(output="x", session=Session(), process_dir=folder, workspace_dir=folder)
    meaning = dialect(sample.dialect).meanings[0] if newest else sample.dialect
    return grade_entry({"name": "g", **sample.entry}, context, meaning)


def test_a_run_refuses_a_missing_or_broken_file_too(tmp_path: Path) -> None:
    for name, text in {"missing": None, "broken": "{"}.items():
        config = {"schema_file": f"{name}.json"}
        if text is not None:
            (tmp_path / f"{name}.json").write_text(text)
        sample = Sample("waza", {"type": "json_schema", "name": "g", "config": config})
        (error,) = reported(sample, tmp_path)
        assert error.message in refusal(sample, tmp_path)


def assert_agreement(sample: Sample, folder: Path) -> None:
    errors, message = reported(sample, folder), refusal(sample, folder)
    assert bool(errors) == bool(message), (
        sample,
        message,
        [(it.code, it.pointer, it.message) for it in errors],
    )
    graded = verdict(sample, folder, newest=bool(errors))
    if errors:
        # A pattern that does not compile is a failed check, as the conformance vectors say. Nothing passes.
        assert isinstance(graded, GraderFailure) or not graded.result.passed, (sample, errors)
    else:
        assert isinstance(graded, GraderVerdict) or graded.kind == "grade", (sample, graded)


ALL = [it for it in [*examples_of_graders(), *examples_of_rules()] if it.entry["type"] not in RUNS_OLD_SPECS]


@pytest.mark.parametrize(
    "sample", ALL, ids=[f"{it.dialect}-{it.entry['type']}-{at}" for at, it in enumerate(ALL)]
)
def test_the_examples_of_all_pages(sample: Sample, tmp_path: Path) -> None:
    assert_agreement(sample, tmp_path)


def _places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield above
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for part, it in members:
        yield from _places(it, (*above, part))


@st.composite
def broken_samples(draw: st.DrawFn) -> Sample:
    """Return an example with one value replaced, or one key removed, misspelt or added."""
    sample = draw(st.sampled_from(ALL))
    entry = json.loads(json.dumps(sample.entry))
    places = [*(it for it in _places(entry) if it and it != ("type",)), ("config",)]
    entry.setdefault("config", {})
    *above, last = draw(st.sampled_from(places))
    owner = entry
    for part in above:
        owner = owner[part]
    match draw(st.sampled_from(["value", "remove", "misspell", "add"])):
        case "remove":
            del owner[last]
        case "misspell" if isinstance(owner, dict):
            owner[f"{last}x"] = owner.pop(last)
        case "add" if isinstance(owner, dict):
            owner["bogus"] = 1
        case _:
            owner[last] = draw(st.sampled_from(BROKEN))
    return Sample(sample.dialect, entry)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples: thousands of temporary folders take longer than the checks."""
    return tmp_path_factory.mktemp("samples")


@given(sample=broken_samples())
@settings(max_examples=examples(600), deadline=None)
@pytest.mark.slow
def test_broken_entries(sample: Sample, folder: Path) -> None:
    assert_agreement(sample, folder)


def test_the_sentence_is_the_same(tmp_path: Path) -> None:
    config = {"expect": [{"tool": "bash", "arg": {}}]}
    sample = Sample("waza", {"type": "tool_calls", "name": "g", "config": config})
    (error,) = reported(sample, tmp_path)
    assert error.message == "Unknown key 'arg'. Did you mean 'args'?"
    graded = verdict(sample, tmp_path)
    assert isinstance(graded, GraderFailure)
    assert error.message in graded.message
    assert error.message in refusal(sample, tmp_path)
