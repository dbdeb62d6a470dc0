"""Rules beyond the example of their page: what they must report, and what they must accept."""

from pathlib import Path

import pytest

from tests.behaviour.findings_harness import Found
from tests.behaviour.rules_harness import EVAL, GRADED, TASK, findings_at, write

GRADER = "graders:\n  - type: {kind}\n    name: {name}\n    config: {config}\n"
MOCK = EVAL.replace("copilot-sdk", "mock")
SKILL = "---\nname: notes\ndescription: Takes notes.\n---\nTake notes.\n"


def found(root: Path, checked: str, **files: str) -> list[Found]:
    """Return the findings of one file of a suite in `root/evals`. In a name, `__` is a folder and `_yaml` the suffix."""
    named = {name.replace("__", "/").replace("_yaml", ".yaml"): text for name, text in files.items()}
    write(root / "evals", named)
    return findings_at(root / "evals" / checked, root)


def codes(root: Path, checked: str, **files: str) -> list[tuple[str, str]]:
    return [(it.code, it.severity) for it in found(root, checked, **files)]


def task(**keys: str) -> str:
    """Return a task with other inputs or keys. Each value is the YAML after the key."""
    return TASK + "".join(f"{key}: {value}\n" for key, value in keys.items())


# Globs


def test_an_empty_glob_among_others_is_a_warning(tmp_path: Path) -> None:
    text = GRADED.replace('["tasks/*.yaml"]', '["tasks/*.yaml", "more/*.yaml"]')
    assert codes(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK) == [
        ("glob-without-match", "warning")
    ]


def test_an_unmatched_glob_without_any_tasks_is_an_error(tmp_path: Path) -> None:
    assert codes(tmp_path, "eval.yaml", eval_yaml=GRADED) == [("glob-without-match", "error")]


def test_an_unmatched_glob_is_an_error_if_there_are_tasks(tmp_path: Path) -> None:
    text = GRADED.replace("tasks/*.yaml", "tests/*.yaml")
    assert codes(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK) == [
        ("glob-without-match", "error")
    ]


def test_a_glob_must_not_match_a_folder(tmp_path: Path) -> None:
    text = GRADED.replace("tasks/*.yaml", "tasks")
    assert codes(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK) == [
        ("glob-without-match", "error")
    ]


@pytest.mark.parametrize(
    "pattern", ["tasks/**/*.yaml", "**/*.yaml", "tasks/*.{yaml,yml}", "/tasks/*.yaml", "tasks/[!b]*.yaml"]
)
def test_a_glob_of_another_tool_has_one_finding(pattern: str, tmp_path: Path) -> None:
    text = GRADED.replace("tasks/*.yaml", pattern)
    assert codes(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK) == [
        ("unsupported-glob", "warning")
    ]


def test_a_file_that_two_globs_match_runs_twice(tmp_path: Path) -> None:
    text = GRADED.replace('["tasks/*.yaml"]', '["tasks/a.yaml", "tasks/*.yaml"]')
    assert codes(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK) == [
        ("task-named-twice", "warning")
    ]


@pytest.mark.parametrize("text", ["", "# later\n", "- a\n- b\n", "just a text\n", 'id: "b\n', GRADED])
def test_a_file_that_is_not_a_task_prevents_the_run(text: str, tmp_path: Path) -> None:
    assert codes(tmp_path, "eval.yaml", eval_yaml=GRADED, tasks__a_yaml=TASK, tasks__b_yaml=text) == [
        ("unloadable-task", "error")
    ]


def test_a_mistake_inside_a_task_is_reported_in_the_task(tmp_path: Path) -> None:
    files = {"eval_yaml": GRADED, "tasks__a_yaml": TASK, "tasks__b_yaml": TASK.replace("inputs", "input")}
    files["tasks__b_yaml"] = files["tasks__b_yaml"].replace("some-task", "b").replace("Some task", "B")
    assert codes(tmp_path, "eval.yaml", **files) == []
    assert [it[0] for it in codes(tmp_path, "tasks/b.yaml", **files)] == ["unknown-key"]


# Ids and names


def test_an_id_in_two_files_is_reported_in_both(tmp_path: Path) -> None:
    other = TASK.replace("Some task", "Other task") + "enabled: false\n"
    files = {"eval_yaml": GRADED, "tasks__a_yaml": TASK, "tasks__b_yaml": other}
    for name in ("tasks/a.yaml", "tasks/b.yaml"):
        assert codes(tmp_path, name, **files) == [("duplicate-task-id", "warning")]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("1.10", "1.1", False),
        ("1.10", "1.10", True),
        ("1.10", "'1.10'", True),
        ("001", "1", False),
        ("001", '"001"', True),
        ("0x1F", "31", False),
        ("1_000", "1000", False),
        ("1e3", "1000.0", False),
        ("1.0", "1", False),
        ("7", "7", True),
        ("2024-01-01", "2024-1-1", False),
        ("2024-01-01", "'2024-01-01'", True),
    ],
)
@pytest.mark.parametrize("key", ["id", "name"])
def test_ids_are_compared_as_written(key: str, one: str, other: str, is_same: bool, tmp_path: Path) -> None:
    """docs/reference/waza-formats.md, section 3: a string field takes the source text."""
    old = {"id": "some-task", "name": "Some task"}[key]
    rest = ("Some task", "Other") if key == "id" else ("some-task", "other")
    files = {"eval_yaml": GRADED, "tasks__a_yaml": TASK.replace(old, one)}
    files["tasks__b_yaml"] = TASK.replace(old, other).replace(*rest)
    for name in ("tasks/a.yaml", "tasks/b.yaml"):
        found = [code for code, _ in codes(tmp_path, name, **files)]
        # A pair with one name is reported once, in the later task.
        is_reported = is_same and (key == "id" or name == "tasks/b.yaml")
        assert (f"duplicate-task-{key}" in found) is is_reported


def test_one_id_in_two_suites_is_fine(tmp_path: Path) -> None:
    write(tmp_path / "other", {"eval.yaml": GRADED, "tasks/a.yaml": TASK})
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=TASK) == []


def test_a_blank_id(tmp_path: Path) -> None:
    text = TASK.replace("some-task", '"  "')
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == [("blank-id", "error")]


def test_a_grader_of_a_task_with_the_name_of_one_of_the_eval(tmp_path: Path) -> None:
    text = TASK + GRADER.format(kind="text", name="polite-eval", config="{contains: [thanks]}")
    [it] = found(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text)
    assert (it.code, it.underlined, it.severity) == ("duplicate-grader-name", "polite-eval", "information")
    graders = GRADED[GRADED.index("graders:") :]
    entry = graders[: graders.index("tasks:")] if "tasks:" in graders else graders
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=TASK + entry) == []


def test_a_grader_with_the_name_of_an_expectation(tmp_path: Path) -> None:
    text = TASK + GRADER.format(kind="text", name="_output_contains", config="{contains: [thanks]}")
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == [
        ("duplicate-grader-name", "warning")
    ]


# Input files


def inputs(more: str, prompt: str = "What time is it?") -> str:
    return TASK.replace("prompt: What time is it?", f"prompt: {prompt}\n  {more}")


@pytest.mark.parametrize("path", ["/etc/hosts", "../a.txt", "a..b.txt", "x/../../a.txt"])
def test_a_path_that_waza_skips(path: str, tmp_path: Path) -> None:
    text = inputs(f"files: [{{path: {path}}}]")
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == [
        ("dropped-input-file", "error")
    ]


def test_existing_files_have_no_finding(tmp_path: Path) -> None:
    write(tmp_path / "evals/fixtures", {"a.txt": "a", "b/c.txt": "c"})
    text = inputs("files: [{path: a.txt}, {path: ./b/c.txt}, {path: new.txt, content: x}]")
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == []


def test_a_missing_folder_is_one_finding(tmp_path: Path) -> None:
    text = inputs("files: [{path: a.txt}, {path: b.txt}]")
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == [
        ("missing-fixture", "warning")
    ]


def test_a_task_without_an_eval_has_no_findings_about_files(tmp_path: Path) -> None:
    assert codes(tmp_path, "tasks/a.yaml", tasks__a_yaml=inputs("files: [{path: a.txt}]")) == []


def test_a_context_fixture_is_relative_to_the_eval(tmp_path: Path) -> None:
    write(tmp_path / "evals/fixtures", {"project/a.txt": "a"})
    good, bad = inputs("context: {fixture: fixtures/project}"), inputs("context: {fixture: project}")
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=good) == []
    assert codes(tmp_path, "tasks/a.yaml", tasks__a_yaml=bad) == [("missing-fixture", "error")]


@pytest.mark.parametrize(
    ("prompt", "is_ours"),
    [
        ("Summarize {{.Vars.name}}", True),
        ("Summarize {{ name }}", False),
        ("Summarize {{fixture:notes.txt}}", True),
        ("Fix ${{ github.ref }} in the workflow", False),
        ("Replace `{{ user }}` in the template", False),
        ("Explain {{#each items}} to me", False),
        ("A set is {{1, 2}}", False),
    ],
)
def test_templates_of_other_languages_have_no_finding(prompt: str, is_ours: bool, tmp_path: Path) -> None:
    text = TASK.replace("What time is it?", repr(prompt))
    expected = [("template-in-prompt", "warning")] if is_ours else []
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == expected


def test_a_prompt_may_name_fixtures_that_the_agent_gets(tmp_path: Path) -> None:
    write(tmp_path / "evals/fixtures", {"a.txt": "a", "src/b.py": "b"})
    text = inputs("files: [{path: a.txt}, {path: src/b.py}]", "Compare a.txt with b.py, then write c.txt.")
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text) == []


def test_a_prompt_file_of_a_lone_task_may_be_elsewhere(tmp_path: Path) -> None:
    text = TASK.replace("prompt: What time is it?", "prompt_file: a.md")
    assert codes(tmp_path, "tasks/a.yaml", tasks__a_yaml=text) == [("missing-prompt-file", "warning")]
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=GRADED) == [("missing-prompt-file", "error")]


# Datasets

DATASET = GRADED.replace('tasks: ["tasks/*.yaml"]', "tasks_from: d.csv")


@pytest.mark.parametrize(
    ("table", "code", "severity"),
    [
        ("id,prompt\na,Hello\n", None, ""),
        ('id,prompt\na,"Hello, you"\n', None, ""),
        ("id,prompt\na,Hello, you\n", "broken-dataset", "error"),
        ('id,prompt\na,He said "no"\n', "broken-dataset", "error"),
        ("", "broken-dataset", "error"),
        ("id,prompt\na,Hello {{.Vars.who}}\n", "broken-dataset", "error"),
        ("id,prompt,who\na,Hello {{.Vars.who}},you\n", None, ""),
        ("id,text\na,Hello\n", "doubtful-dataset", "warning"),
        ("\ufeffid,prompt\na,Hello\n", "doubtful-dataset", "warning"),
        ("id, prompt\na,Hello\n", "doubtful-dataset", "warning"),
        ("id,prompt\na,Hello\na,Bye\n", "doubtful-dataset", "warning"),
    ],
)
def test_datasets(table: str, code: str | None, severity: str, tmp_path: Path) -> None:
    write(tmp_path / "evals", {"d.csv": table})
    assert codes(tmp_path, "eval.yaml", eval_yaml=DATASET) == ([(code, severity)] if code else [])


@pytest.mark.parametrize(
    ("limits", "severity"),
    [
        ("[0, 0]", ""),
        ("[1, 2]", ""),
        ("[0, 2]", "error"),
        ("[2, 1]", "error"),
        ("[3, 4]", "error"),
        ("[1, 9]", "warning"),
    ],
)
def test_row_ranges(limits: str, severity: str, tmp_path: Path) -> None:
    write(tmp_path / "evals", {"d.csv": "id,prompt\na,Hello\nb,Bye\n"})
    expected = [("bad-row-range", severity)] if severity else []
    assert codes(tmp_path, "eval.yaml", eval_yaml=DATASET + f"range: {limits}\n") == expected


def test_a_missing_dataset(tmp_path: Path) -> None:
    assert codes(tmp_path, "eval.yaml", eval_yaml=DATASET) == [("missing-dataset", "error")]
    write(tmp_path / "evals", {"data.csv": "id,prompt\n"})
    assert codes(tmp_path, "eval.yaml") == [("missing-dataset", "error")]
    assert codes(tmp_path, "eval.yaml", eval_yaml=DATASET.replace("d.csv", "../d.csv")) == [
        ("missing-dataset", "error")
    ]


# The mock executor


@pytest.mark.parametrize(
    ("kind", "config", "code"),
    [
        ("behavior", "{required_tools: [bash]}", "impossible-under-mock"),
        ("behavior", "{max_tool_calls: 3}", None),
        ("action_sequence", "{matching_mode: exact_match, expected_actions: [a]}", "impossible-under-mock"),
        ("tool_constraint", "{expect_tools: [{tool: bash}]}", "impossible-under-mock"),
        ("tool_constraint", "{reject_tools: [{tool: bash}]}", None),
        ("tool_calls", "{min_calls: 0}", None),
        ("tool_calls", "{min_calls: 1}", "impossible-under-mock"),
        ("skill_invocation", "{required_skills: [x], mode: any_order}", "impossible-under-mock"),
        ("skill_invocation", "{forbidden_skills: [x]}", None),
        ("json_schema", "{schema: {type: object}}", "impossible-under-mock"),
        ("json_schema", "{schema: {type: object}, extract_json: true}", None),
        ("prompt", "{prompt: Is it good?}", "judge-under-mock"),
        ("code", "{assertions: ['len(output) > 0']}", "passes-under-mock"),
        ("code", "{assertions: ['len(output) < 100']}", None),
        ("text", "{contains: [time]}", "passes-under-mock"),
        ("text", "{contains: [clock]}", None),
    ],
)
def test_graders_under_mock(kind: str, config: str, code: str | None, tmp_path: Path) -> None:
    text = TASK + GRADER.format(kind=kind, name="check", config=config)
    expected = [(code, "information")] if code else []
    assert codes(tmp_path, "tasks/a.yaml", eval_yaml=MOCK, tasks__a_yaml=text) == expected
    real = codes(tmp_path, "tasks/a.yaml", eval_yaml=EVAL)
    assert real == []


# Skills


def test_the_parent_of_a_skill_folder_is_not_a_skill_directory(tmp_path: Path) -> None:
    write(tmp_path / "evals", {"skills/notes/SKILL.md": SKILL, "tasks/a.yaml": TASK})
    config = "  required_skills: [notes]\n  skill_directories: [{}]\n"
    for folder, expected in (("skills", ["missing-required-skill"]), ("skills/notes", [])):
        text = GRADED.replace("tasks:", config.format(folder) + "tasks:")
        assert [it[0] for it in codes(tmp_path, "eval.yaml", eval_yaml=text)] == expected


def test_the_project_may_have_the_required_skills(tmp_path: Path) -> None:
    text = GRADED.replace("tasks:", "  required_skills: [notes]\ntasks:")
    write(tmp_path / "evals", {"tasks/a.yaml": TASK})
    assert codes(tmp_path, "eval.yaml", eval_yaml=text) == [("missing-required-skill", "error")]
    write(tmp_path, {".waza.yaml": "paths:\n  skills: skills\n"})
    assert codes(tmp_path, "eval.yaml") == [("missing-required-skill", "error")]
    write(tmp_path, {"skills/notes/SKILL.md": SKILL})
    assert codes(tmp_path, "eval.yaml") == []


def test_a_skill_is_unknown_only_if_there_are_skills(tmp_path: Path) -> None:
    text = GRADED.replace("skill: notes", "skill: nots")
    write(tmp_path / "evals", {"tasks/a.yaml": TASK})
    assert codes(tmp_path, "eval.yaml", eval_yaml=text) == []
    write(tmp_path, {"skills/notes/SKILL.md": SKILL})
    [it] = found(tmp_path, "eval.yaml")
    assert (it.code, it.severity) == ("unknown-skill", "warning")
    assert it.message == "No skill named 'nots' found. Did you mean 'notes'?"


# Hooks


@pytest.mark.parametrize(
    ("command", "severity"),
    [
        ("make fixtures", ""),
        ("python3 scripts/prepare.py --name=x", ""),
        ("cd x && make", "error"),
        ("make > log.txt", "error"),
        ("cat a | sort", "error"),
        ("rm -rf tmp/*", "error"),
        ("echo $HOME", "warning"),
        ('bash -c "make all"', "error"),
        ('echo "starting"', "warning"),
        ("export A=1", "error"),
    ],
)
def test_hook_commands(command: str, severity: str, tmp_path: Path) -> None:
    text = GRADED + f"hooks:\n  before_run:\n    - command: {command!r}\n"
    expected = [("shell-syntax-in-hook", severity)] if severity else []
    assert codes(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK) == expected


# Versions and scenarios


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ('schemaVersion: "1.0"\n', None),
        ('schemaVersion: "1.9"\n', None),
        ('schemaVersion: "2.0"\n', "bad-schema-version"),
        ('schemaVersion: "3.1"\n', "bad-schema-version"),
        ('schemaVersion: "one"\n', "bad-format"),
        ("scenario: release\n", "bad-schema-version"),
        ('scenario: release\nschemaVersion: "2.0"\n', None),
        ('schemaVersion: "1.1"\nadversarial: {packs: [scope-bypass]}\n', "key-newer-than-schema"),
        ("adversarial: {packs: [scope-bypass]}\n", None),
    ],
)
def test_schema_versions(more: str, code: str | None, tmp_path: Path) -> None:
    expected = [(code, "error")] if code else []
    assert codes(tmp_path, "eval.yaml", eval_yaml=GRADED + more, tasks__a_yaml=TASK) == expected


def test_a_schema_version_without_quotes_is_only_a_hint(tmp_path: Path) -> None:
    found = codes(tmp_path, "eval.yaml", eval_yaml=GRADED + "schemaVersion: 1.4\n", tasks__a_yaml=TASK)
    assert found == [("refused-by-check", "hint")]


# Older forms


@pytest.mark.parametrize(
    ("kind", "config", "fixable"),
    [
        ("regex", "{must_match: [a], must_not_match: [b]}", True),
        ("keyword", "{keywords: [a]}", True),
        ("keyword", "{keywords: [a], must_contain: [b]}", True),
        ("script", "{script: a.py}", False),
        ("human", "{instructions: Look.}", False),
    ],
)
def test_graders_of_older_versions_are_information(
    kind: str, config: str, fixable: bool, tmp_path: Path
) -> None:
    from waza_engine.analysis.rules import check_document
    from waza_engine.lib.yaml.reader import read_yaml
    from waza_engine.lib.yaml.scalars import plain
    from waza_engine.project.document import Document

    text = EVAL + GRADER.format(kind=kind, name="old", config=config)
    kept = [
        it
        for it in found(tmp_path, "eval.yaml", eval_yaml=text, tasks__a_yaml=TASK)
        if it.code != "missing-file"
    ]
    assert [(it.code, it.severity, it.underlined) for it in kept] == [("legacy-shape", "information", kind)]
    document = Document("waza", "eval", plain(read_yaml(text)))
    [finding] = [it for it in check_document(document) if it.code == "legacy-shape"]
    assert bool(finding.fixes) is fixable


def test_assertions_without_a_type_are_an_older_form(tmp_path: Path) -> None:
    text = TASK + "graders:\n  - name: c\n    assertions: ['True']\n"
    kept = [
        (it.code, it.underlined)
        for it in found(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text)
    ]
    assert ("legacy-shape", "assertions") in kept


def test_the_message_says_where_a_misplaced_key_belongs(tmp_path: Path) -> None:
    text = TASK + "config:\n  timeout_seconds: 5\n"
    [it] = found(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=text)
    assert (it.code, it.underlined) == ("unknown-key", "config")
    assert it.message.startswith("Unknown key 'config'. Tasks have no `config`")


def test_mistakes_in_a_project_file_are_warnings(tmp_path: Path) -> None:
    write(tmp_path, {".waza.yaml": "cache:\n  enable: true\nserver:\n  port: 0\n"})
    kept = [(it.code, it.severity) for it in findings_at(tmp_path / ".waza.yaml", tmp_path)]
    assert kept == [("unknown-key", "warning"), ("out-of-range", "warning")]


# Half-written files


@pytest.mark.parametrize(
    "value", ["", "5", "[]", "[1]", "{}", "text", "[[]]", "[{}]", "{a: {b: [c]}}", "[null]", "true"]
)
@pytest.mark.parametrize(
    "key",
    [
        "tasks",
        "graders",
        "metrics",
        "hooks",
        "config",
        "skill",
        "range",
        "tasks_from",
        "mcp_mocks",
        "command_mocks",
        "adversarial",
        "inputs",
        "schemaVersion",
        "scenario",
    ],
)
def test_no_shape_of_an_eval_confuses_a_rule(key: str, value: str, tmp_path: Path) -> None:
    lines = [it for it in GRADED.splitlines(keepends=True) if not it.startswith(f"{key}:")]
    found(tmp_path, "eval.yaml", eval_yaml="".join(lines) + f"{key}: {value}\n", tasks__a_yaml=TASK)


@pytest.mark.parametrize(
    "value", ["", "5", "[]", "[1]", "{}", "text", "[[]]", "[{}]", "{a: {b: [c]}}", "[null]", "true"]
)
@pytest.mark.parametrize(
    "key",
    [
        "id",
        "name",
        "inputs",
        "expected",
        "graders",
        "checkpoints",
        "requirements",
        "context_dir",
        "command_mocks",
        "skill_directories",
        "instruction_files",
    ],
)
def test_no_shape_of_a_task_confuses_a_rule(key: str, value: str, tmp_path: Path) -> None:
    for base in (TASK, f"inputs:\n  {key}: {value}\n  files: {value}\n"):
        found(tmp_path, "tasks/a.yaml", eval_yaml=GRADED, tasks__a_yaml=base + f"{key}: {value}\n")
    found(tmp_path, "eval.yaml")
