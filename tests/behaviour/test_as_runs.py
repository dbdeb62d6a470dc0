"""What a run refuses is an error in the editor, at the right place. What a run accepts is not."""

from pathlib import Path

import pytest

from tests.behaviour.as_runs_harness import errors, is_refused
from tests.behaviour.rules_harness import EVAL, TASK, write
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.trial.perform import prepare_workspace
from waza_engine.runs.trial.workspace import WorkspaceError, remove_workspace

TEXT = "graders:\n  - {type: text, name: g, config: {contains: [hi]}}\n"
MOCK = "command_mocks: [{name: k, responses: [{args: [a]}]}]\n"
CHECK = "requirements: [{{id: R, category: {}, description: d, checks: [{{grader: g, {}}}]}}]\n"
CHECKPOINT = "checkpoints: [{{after_turn: 1, on_failure: {}, graders: [{{type: text, name: c, config: {{contains: [a]}}}}]}}]\n"
SERVER = "mcp_mocks: [{{name: k, tools: {{t: {{responses: [{}]}}}}}}]\n"


def task_with(keys: str) -> str:
    """Return the task with more keys; indented ones go into its inputs."""
    return TASK.replace("inputs:\n", f"inputs:\n{keys}") if keys.startswith(" ") else TASK + keys


@pytest.mark.parametrize(
    ("old", "new", "underlined"),
    [
        ("config:\n", "config:\n  <<: foo\n", "foo"),
        ("config:\n", "config:\n  <<:\n", "<<"),
        ("config:\n", "config:\n  <<: [{workers: 1}, foo]\n", "foo"),
        ("config:\n", "config:\n  mcp_servers: &a {}\n  <<: [*a, {workers: 1}]\n", None),
        ("model: gpt-4o", "model: &a gpt-4o\n  <<: *a", "*a"),
        ("name: notes-eval", "%YAML 1.2\nname: notes-eval", "%YAML 1.2"),
        ("name: notes-eval", "%YAML 1.2\n%YAML 1.2\n---\nname: notes-eval", "%YAML 1.2"),
        ("name: notes-eval", "# a\n%YAML 1.2\n---\nname: notes-eval", None),
        ("timeout_seconds: 60", "timeout_seconds: 9223372036854775808", "9223372036854775808"),
        ("timeout_seconds: 60", "timeout_seconds: 9223372036854775807", None),
        ("skill:", "metrics: [{name: trigger_accuracy, weight: .nan, threshold: 1}]\nskill:", ".nan"),
        ('["tasks/*.yaml"]', "[~]", "[~]"),
        ('["tasks/*.yaml"]', "[]", "[]"),
        ('["tasks/*.yaml"]', '[~, "tasks/*.yaml"]', None),
        ("skill:", MOCK + "skill:", None),
        ("skill:", MOCK.replace("k,", "-k,") + "skill:", "-k"),
        ("skill:", MOCK.replace("k,", '"k\\n",') + "skill:", '"k\\n"'),
        ("skill:", MOCK.replace("args: [a]", "args: [], args_regex: []") + "skill:", "args_regex"),
        ("skill:", MOCK.replace("args: [a]", "args: , args_regex: ['^a'], stdout: x") + "skill:", None),
        ("skill:", MOCK.replace("args: [a]", "args: , args_regex: ") + "skill:", "{args: , args_regex: }"),
        ("skill:", MOCK.replace("args: [a]", "args: []") + "skill:", None),
        ("skill:", MOCK.replace("args: [a]", "args_regex: ['(']") + "skill:", "("),
        ("skill:", MOCK.replace("[a]", "[a], fixture: x.txt") + "skill:", "x.txt"),
        ("skill:", MOCK.replace("[a]", "[a], stdout: '', fixture: eval.yaml") + "skill:", "fixture"),
        ("executor: copilot-sdk", "executor: command", None),
        ("skill:", SERVER.format("{match_regex: {a: '('}, return: 1}") + "skill:", "("),
        ("skill:", SERVER.format("{match: [a], return: 1}") + "skill:", "[a]"),
        ("skill:", SERVER.format("~") + "skill:", "[~]"),
        ("skill:", "mcp_mocks: [{name: k, fixtures: tasks}]\nskill:", "tasks"),
        ("skill:", "adversarial: {packs: [a, ' a']}\nskill:", "' a'"),
        ("skill:", "adversarial: {packs: [a], on_unsafe_outcome: x}\nskill:", "x"),
        ('tasks: ["tasks/*.yaml"]', "tasks_from: p.csv\nrange: [1, ~, 1]", None),
        ('tasks: ["tasks/*.yaml"]', "tasks_from: p.csv\nrange: [1, ~, 1, 1]", "[1, ~, 1, 1]"),
        ('tasks: ["tasks/*.yaml"]', "tasks_from: p.csv\nrange: [~, 2, ~, 1]", "[~, 2, ~, 1]"),
        ("hi", "~", None),
        ("skill:", "adversarial: {packs: [a], on_unsafe_outcome: ''}\nskill:", None),
        ("model: gpt-4o", "model: gpt-4o\n  reasoning_effort: ''", None),
        ("model: gpt-4o", "model: gpt-4o\n  reasoning_effort: huge", "huge"),
        ("model: gpt-4o", "model: gpt-4o\n  mcp_servers: {a: ~}", None),
        ("model: gpt-4o", "model: gpt-4o\n  mcp_servers: {a: []}", "[]"),
        ("model: gpt-4o", "model: gpt-4o\n  ? [a]\n  : b", "[a]"),
        ("model: gpt-4o", "model: gpt-4o\n  ? workers\n  : 1", None),
        ("skill:", "{a: b}: c\nskill:", "{a: b}"),
        ("config:\n", "config:\n  <<: {workers: many}\n", "many"),
        ("config:\n", "config:\n  <<: [{workers: 1}, {max_attempts: many}]\n", "many"),
        ("config:\n", "config:\n  <<: {bogus: 1}\n", None),
        ("config:\n", "config:\n  <<: {wokers: 1}\n", "wokers"),
        ("config:\n", "config:\n  bogus: 1\n  5: 1\n  wokers: 1\n", "wokers"),
        ("skill:", "ownerTeam: [{a: {b: ~}}]\nskill:", None),
        ("skill:", "ownerTeam: ~\nskill:", None),
        ("skill:", "schemaVersion: '1.5'\nownerTeam: a\nskill:", None),
        ("skill:", "schemaVersion: '2.0'\nscenario: a\nownerTeam: a\nskill:", "ownerTeam"),
        ("skill:", "metrics: [{name: a, bogus: 1}, ~, {name: b, bogus: 2}]\nskill:", None),
        ("skill:", "hooks: {before_run: [{command: a, bogus: 1}], bogus: 2}\nskill:", None),
        ("contains: [hi]", "contains: [hi], bogus: 1", "bogus"),
        (
            "type: text, name: g, config: {contains: [hi]}",
            "type: file, name: g, config: {must_exist: [~]}",
            "must_exist",
        ),
    ],
)
def test_an_eval(old: str, new: str, underlined: str | None, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"eval.yaml": (EVAL + TEXT).replace(old, new, 1), "tasks/a.yaml": TASK, "p.csv": "id,prompt\na,hi\n"},
    )
    assert errors(tmp_path, "eval.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


@pytest.mark.parametrize(
    ("eval_keys", "task", "underlined"),
    [
        ("", MOCK, None),
        ("", "ownerTeam: a\n", None),
        ("", "time_out_seconds: 3\n", "time_out_seconds"),
        ("", MOCK.replace("name: k", "name: k, bogus: 1"), None),
        ("", MOCK.replace("k,", "a/b,"), "a/b"),
        ("schemaVersion: '1.2'\n", MOCK, "command_mocks"),
        ("schemaVersion: '1.3'\n", MOCK, None),
        ("config: {executor: mock, trials_per_task: 1, timeout_seconds: 1, model: m}\n", MOCK, "command_mocks"),
        ("config: {executor: command, trials_per_task: 1, timeout_seconds: 1, model: m}\n", MOCK, None),
        ("", "  follow_up_prompts: [a]\n  responder: {instructions: i, max_followups: 1}\n", "responder"),
        ("", "  follow_up_prompts: []\n  responder: {instructions: i, max_followups: 1}\n", None),
        ("", CHECK.format("outcome", "scope: eval"), None),
        ("", CHECK.format("outcome", "scope: checkpoint"), "checkpoint"),
        ("", CHECK.format("outcome", "scope: eval, after_turn: 1"), "after_turn"),
        ("", CHECK.format("outcome", "scope: all"), "all"),
        ("", CHECK.format("looks", "scope: eval"), "looks"),
        ("", CHECKPOINT.format("end"), "end"),
        ("", CHECKPOINT.format("stop"), None),
        ("", CHECKPOINT.format("''"), None),
        ("", CHECK.format("''", "scope: eval"), "''"),
        ("", CHECK.format("outcome", "scope: ''"), "''"),
        ("", "  repos: [{type: clone, source: ., dest: x}]\n", "clone"),
        ("", "  repos: [{type: '', source: ., dest: x}]\n", "''"),
        ("", "enabled: false\ngraders: [{type: code, name: c, config: {assertions: []}}]\n", "[]"),
        ("", "enabled: false\ngraders: [{type: text, name: c, config: {contains: a}}]\n", "a"),
        ("", "enabled: false\ngraders: [{type: file, name: c, config: {}}]\n", "config"),
    ],
)  # fmt: skip
def test_a_task(eval_keys: str, task: str, underlined: str | None, tmp_path: Path) -> None:
    text = EVAL + TEXT + eval_keys
    if eval_keys.startswith("config"):
        start, rest = text.split("config:\n", 1)
        text = start + rest[rest.index("tasks:") :]
    files = {
        "eval.yaml": text,
        "tasks/a.yaml": task_with(task),
        "tasks/b.yaml": TASK.replace("some-task", "other").replace("Some task", "Other"),
    }
    write(tmp_path, files)
    assert errors(tmp_path, "tasks/a.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


@pytest.mark.parametrize(
    ("eval_keys", "task_keys", "underlined"),
    [
        ("executor: copilot-sdk", MOCK, None),
        ("executor: mock", MOCK, "command_mocks"),
        ("executor: claude-cli", MOCK, "command_mocks"),
        ('schemaVersion: "1.2"', MOCK, "command_mocks"),
        ('schemaVersion: "1.3"', MOCK, None),
        ('schemaVersion: "1.0"', CHECKPOINT.format("stop"), "checkpoints"),
        ('schemaVersion: "1.1"', CHECKPOINT.format("stop"), None),
        ("", CHECKPOINT.format("end"), "end"),
        ("", CHECK.format("outcome", "scope: eval"), None),
        ("", CHECK.format("outcome", "scope: checkpoint"), "checkpoint"),
        ("", CHECK.format("outcome", "scope: eval, after_turn: 1"), "after_turn"),
    ],
)
def test_a_task_in_the_eval(eval_keys: str, task_keys: str, underlined: str | None, tmp_path: Path) -> None:
    task = f"tasks:\n- id: a\n  name: A\n  inputs: {{prompt: hi}}\n  {task_keys}"
    text = EVAL.replace('tasks: ["tasks/*.yaml"]\n', task) + TEXT
    if eval_keys.startswith("executor"):
        text = text.replace("executor: copilot-sdk", eval_keys)
    elif eval_keys:
        text += f"{eval_keys}\n"
    write(tmp_path, {"eval.yaml": text})
    assert errors(tmp_path, "eval.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


@pytest.mark.parametrize(
    ("keys", "underlined"),
    [
        ("  workdir: ../x\n", "../x"),
        ("  workdir: a/../b\n", "a/../b"),
        ("  workdir: nowhere\n", None),
        ("  workdir: .\n", None),
        ("  workdir: sub\n  files: [{path: sub/deep/a.txt, content: x}]\n", None),
        ("  workdir: inner\n  context: {fixture: folder}\n", None),
        ("  workdir: outer\n  context: {fixture: folder}\n", None),
        ("  context: {fixture: ../folder}\n", "../folder"),
        ("  context: {fixture: sub/../folder}\n", "sub/../folder"),
        ("  context: {fixture: ''}\n", "''"),
        ("  context: {fixture: .}\n", "."),
        ("instruction_files: [../a.md]\n", "../a.md"),
        ("instruction_files: [nowhere/../a.md]\n", None),
        ("  files: [{path: ../x, content: x}]\n", "../x"),
        ("  files: [{path: a..b.txt, content: x}]\n", None),
        ("  files: [{path: ., content: x}]\n", "."),
        ("  repos: [{type: worktree, source: ., dest: ../x}]\n", "../x"),
        ("  repos: [{type: worktree, source: ., dest: /x}]\n", "/x"),
    ],
)
def test_what_ends_a_task_with_an_error(keys: str, underlined: str | None, tmp_path: Path) -> None:
    files = {
        "eval.yaml": EVAL + TEXT,
        "tasks/a.yaml": task_with(keys),
        "folder/inner/a.txt": "a",
        "fixtures/a.md": "a",
    }
    write(tmp_path, files)
    assert errors(tmp_path, "tasks/a.yaml") == ([] if underlined is None else [underlined])
    [task] = load_suite(tmp_path / "eval.yaml", process_dir=tmp_path).tasks
    try:
        remove_workspace(prepare_workspace(task, runs_commands=False))
        refused = bool(task.blocked)
    except WorkspaceError:
        refused = True
    assert refused is (underlined is not None)
