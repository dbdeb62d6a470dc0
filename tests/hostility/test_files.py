"""Files that name what they should not: paths out of the workspace, references, programs. Seen from the command line."""

import json
import re
from pathlib import Path
from textwrap import indent

import pytest
from click.testing import CliRunner

from tests.hostility.bait import CANARY, Victim, listener
from tests.slow import first_quick
from waza_lsp.cli import main

ATTACKS_ON_CHECK = {
    "an inline schema that refers to a file": (
        "- type: json_schema\n  name: g\n  config:\n    schema: {$ref: 'file://OUTSIDE'}\n"
    ),
    "an inline schema that refers to a relative path": (
        "- type: json_schema\n  name: g\n  config:\n    schema: {$ref: '../outside/secret.txt'}\n"
    ),
    "an inline schema that refers to an address": (
        "- type: json_schema\n  name: g\n  config:\n    schema: {$ref: 'http://127.0.0.1:PORT/schema.json'}\n"
    ),
    "a schema file outside": "- type: json_schema\n  name: g\n  config: {schema_file: 'OUTSIDE'}\n",
    "a schema file above": "- type: json_schema\n  name: g\n  config: {schema_file: '../outside/secret.txt'}\n",
    "a snapshot outside": (
        "- type: diff\n  name: g\n  config:\n    expected_files: [{path: a.txt, snapshot: 'OUTSIDE'}]\n"
    ),
    "a workspace file above": "- type: file\n  name: g\n  config: {must_exist: ['../outside/secret.txt']}\n",
    "a program": "- type: program\n  name: g\n  config: {command: touch, args: ['MADE']}\n",
    "an assertion": "- type: code\n  name: g\n  config: {assertions: [\"re.enum.sys.modules['os'].mkdir('MADE')\"]}\n",
    "a skill outside": "- type: trigger\n  name: g\n  config: {skill_path: 'OUTSIDE', mode: positive}\n",
}


def written(victim: Victim, text: str, port: int) -> str:
    made = victim.workspace / "made"
    return text.replace("OUTSIDE", str(victim.outside)).replace("MADE", str(made)).replace("PORT", str(port))


@pytest.mark.parametrize("attack", first_quick(ATTACKS_ON_CHECK, 2))
def test_looking_at_a_file_runs_nothing_and_shows_nothing(attack: str, victim: Victim) -> None:
    with listener() as (port, came):
        victim.write_suite(graders=written(victim, ATTACKS_ON_CHECK[attack], port))
        done = victim.call("check", "--format", "json")
        audited = victim.call("audit", "--format", "json")
    assert done.returncode in {0, 1}
    assert json.loads(done.stdout)["files"] >= 2
    assert json.loads(audited.stdout)["summary"]["tasks"] == 1
    assert CANARY not in done.stdout + done.stderr + audited.stdout + audited.stderr
    assert not came
    assert not (victim.workspace / "made").exists()
    assert victim.is_unharmed()


@pytest.mark.parametrize(
    ("part", "text"),
    first_quick(
        [
            ("task", "inputs: {prompt_file: '../../outside/secret.txt'}\n"),
            ("task", "inputs: {prompt_file: 'OUTSIDE'}\n"),
            ("task", "inputs: {prompt: hello, files: [{path: '../outside/secret.txt'}]}\n"),
            ("task", "inputs: {prompt: hello, files: [{path: 'OUTSIDE'}]}\n"),
            ("task", "inputs: {prompt: hello, files: [{path: '../../made.txt', content: x}]}\n"),
            ("task", "inputs: {prompt: hello}\ninstruction_files: ['OUTSIDE']\n"),
            ("task", "inputs: {prompt: hello, context: {fixture: '../outside'}}\n"),
            ("task", "inputs: {prompt: hello}\ncontext_dir: ../../outside\n"),
            ("config", "instruction_files: ['../outside/secret.txt']\n"),
            ("config", "skill_directories: ['../outside']\n"),
            ("eval_keys", "tasks_from: ../outside/secret.txt\n"),
            ("eval_keys", "inputs: {a: '{{.Env.CANARY}}', b: '{{readFile \"OUTSIDE\"}}'}\n"),
        ],
        2,
    ),
)
def test_a_run_takes_nothing_from_outside_the_suite_into_its_record(
    part: str, text: str, victim: Victim, tmp_path: Path
) -> None:
    """The mock executor echoes the prompt and the files it was given, so whatever came in would come out again."""
    victim.write_suite(**{part: written(victim, text, 0)})
    files = [tmp_path / it for it in ("results.json", "results.xml", "results.html")]
    options = zip(("--output", "--junit", "--html"), map(str, files), strict=True)
    done = victim.call("run", "eval.yaml", *(it for pair in options for it in pair))
    assert done.returncode in {0, 1, 2}
    stored = [it for it in (victim.workspace / ".waza-lsp").rglob("*") if it.is_file()]
    shown = [it.read_bytes() for it in (*files, *stored) if it.exists()]
    assert not any(CANARY.encode() in it for it in (*shown, done.stdout.encode(), done.stderr.encode()))
    assert victim.is_unharmed()
    assert not (tmp_path / "made.txt").exists()


@pytest.mark.slow
def test_a_link_out_of_the_fixtures_is_not_followed(victim: Victim) -> None:
    fixtures = victim.workspace / "fixtures"
    fixtures.mkdir()
    (fixtures / "innocent.txt").symlink_to(victim.outside)
    victim.write_suite(task="inputs: {prompt: hello, files: [{path: innocent.txt}]}\n")
    done = victim.call("run", "eval.yaml", "--output", "results.json")
    assert done.returncode in {0, 1, 2}
    assert CANARY not in (victim.workspace / "results.json").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["../**/*.yaml", "/**/*.yaml", "tasks/../../outside/*", "**/../../*"])
def test_a_task_glob_does_not_list_what_is_outside(pattern: str, victim: Victim) -> None:
    (victim.outside.parent / "task.yaml").write_text(
        f"id: {CANARY}\ninputs: {{prompt: x}}\n", encoding="utf-8"
    )
    text = victim.eval_file.read_text(encoding="utf-8").replace("tasks/*.yaml", pattern)
    victim.eval_file.write_text(text, encoding="utf-8")
    done = victim.call("check", "--format", "json", "eval.yaml")
    assert CANARY not in done.stdout


@pytest.mark.parametrize(
    "pattern",
    first_quick(
        [
            "(a+)+$",
            "(a|aa)+$",
            "(.*)*x",
            "([a-z]+)*[0-9]",
            "a{1,1000}{1,1000}",
            "((((((((((a*)*)*)*)*)*)*)*)*)*)b",
            "(?=a)b",
        ],
        2,
    ),
)
def test_patterns_that_explode_elsewhere_do_not_here(pattern: str, victim: Victim) -> None:
    graders = f"- type: text\n  name: g\n  config:\n    regex_match: ['{pattern}']\n    regex_not_match: ['{pattern}']\n"
    (victim.workspace / "g.yaml").write_text(graders, encoding="utf-8")
    (victim.workspace / "c.json").write_text(json.dumps({"output": "a" * 50_000 + "!"}), encoding="utf-8")
    done = victim.call("grade", "--graders", "g.yaml", "--context", "c.json", "--format", "json", seconds=20)
    assert done.returncode in {0, 1, 2, 3}
    assert victim.call("check", "g.yaml", seconds=20).returncode in {0, 1}


LEGACY_PATTERN = "- type: regex\n  name: g\n  config: {must_match: ['(a+)+$']}\n"


@pytest.mark.slow
def test_a_pattern_of_the_python_generation_is_stopped(victim: Victim) -> None:
    (victim.workspace / "g.yaml").write_text(LEGACY_PATTERN, encoding="utf-8")
    (victim.workspace / "c.json").write_text(json.dumps({"output": "a" * 50 + "!"}), encoding="utf-8")
    done = victim.call("grade", "--graders", "g.yaml", "--context", "c.json", "--gen", "PY", seconds=40)
    assert done.returncode in {1, 2, 3}


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
DOCUMENTS = {
    "a billion laughs": BOMB + "name: bomb\nskill: s\nconfig: {}\ntasks: *j\n",
    "merge keys that double": "x0: &x0 {a: 1}\n"
    + "".join(f"x{n}: &x{n} {{<<: [*x{n - 1}, *x{n - 1}], k{n}: *x{n - 1}}}\n" for n in range(1, 40))
    + "name: n\nskill: s\nconfig: *x39\ntasks: [t.yaml]\n",
    "an alias of itself": "name: n\nskill: s\nconfig: &c {mcp_servers: *c}\ntasks: &t [*t]\n",
    "nested sequences": "name: n\nskill: s\nconfig: {}\ntasks: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "nested mappings": "name: n\nskill: s\nconfig: " + "{a: " * 20_000 + "1" + "}" * 20_000 + "\ntasks: []\n",
    "nested blocks": "name: n\nskill: s\nconfig:\n"
    + "".join(" " * (n + 1) + "a:\n" for n in range(2_000))
    + "tasks: []\n",
    "a very long line": "name: n\nskill: s\nconfig: {}\ntasks: ['" + "x" * 5_000_000 + "']\n",
    "many keys": "name: n\nskill: s\nconfig: {}\ntasks: []\n" + "".join(f"k{n}: v\n" for n in range(5_000)),
    "NUL bytes": "name: n\x00\nskill: s\nconfig: {}\ntasks: [\x00]\n",
    "control characters": "name: \x1b]0;owned\x07\nskill: \x9b31m\nconfig: {}\ntasks: []\n",
    "a tag that makes objects": "name: n\nskill: !!python/object/apply:os.system ['touch made']\nconfig: {}\ntasks: []\n",
    "numbers without end": "name: n\nskill: s\nconfig: {trials_per_task: 1"
    + "0" * 100_000
    + "}\ntasks: []\n",
    "a duplicate key ten thousand times": "name: n\nskill: s\nconfig: {}\n" + "tasks: []\n" * 10_000,
}


@pytest.mark.parametrize("name", first_quick(DOCUMENTS, 2))
def test_no_document_crashes_or_stalls_a_check(name: str, victim: Victim) -> None:
    victim.eval_file.write_text(DOCUMENTS[name], encoding="utf-8")
    done = victim.call("check", "--format", "json", "eval.yaml", seconds=30)
    assert done.returncode in {0, 1}
    assert json.loads(done.stdout)["files"] == 1
    assert not (victim.workspace / "made").exists()


@pytest.mark.parametrize("name", first_quick(DOCUMENTS, 2))
def test_no_document_crashes_or_stalls_a_run(name: str, victim: Victim) -> None:
    victim.eval_file.write_text(DOCUMENTS[name], encoding="utf-8")
    done = victim.call("run", "eval.yaml", "--executor", "mock", seconds=60)
    assert done.returncode in {1, 2}
    assert done.stderr.strip()
    assert not (victim.workspace / "made").exists()


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe\x00\x00", b"name: \xed\xa0\x80\nskill: s\n", b"\x00" * 1000, b"\xef\xbb\xbfname: \xc3\x28\n"],
)
def test_bytes_that_are_no_text_are_a_finding(data: bytes, victim: Victim) -> None:
    victim.eval_file.write_bytes(data)
    done = victim.call("check", "--format", "json", "eval.yaml", seconds=30)
    assert done.returncode in {0, 1}
    assert isinstance(json.loads(done.stdout)["diagnostics"], list)


@pytest.mark.slow
def test_an_output_with_escapes_does_not_reach_the_terminal(victim: Victim) -> None:
    escapes = "\\e]0;owned\\a\\e[2J\\x9b31m"
    victim.write_suite(
        task=f'inputs: {{prompt: "{escapes}"}}\n',
        graders=f'- type: text\n  name: "g{escapes}"\n  config: {{contains: ["{escapes}never"]}}\n',
    )
    for arguments in (("run", "eval.yaml"), ("check",), ("check", "--format", "github"), ("runs",)):
        done = victim.call(*arguments)
        assert_inert(done.stdout.replace("::error file", "").replace("::notice file", ""), done.stderr)


FORGED = "x\\e]0;owned\\a\\e[2J\\x9b31m\\u2028y\\r\\n::error::forged\\n  ::add-mask::y\\n##[error]forged ##vso[task.x]y"
"""In YAML's double quotes: what terminals obey, and on lines of their own what CI systems do."""
COMMANDS_THAT_SHOW_AN_EVAL = [
    ("check",),
    ("check", "--format", "json"),
    ("check", "--format", "sarif"),
    ("check", "--format", "junit"),
    ("run", "eval.yaml", "--dry-run"),
    ("run", "eval.yaml", "--dry-run", "--format", "json"),
    ("run", "eval.yaml"),
    ("run", "eval.yaml", "--quiet", "--format", "json"),
    ("run", "eval.yaml", "--format", "github"),
    ("run", "eval.yaml", "--events", "jsonl"),
    ("runs", "list"),
    ("runs", "show"),
    ("runs", "history"),
    ("report",),
    ("report", "--format", "github"),
    ("compare", "last", "last"),
    ("compare", "last", "last", "--format", "json"),
    ("grade", "--run", "last"),
    ("grade", "--run", "last", "--task", "::error::*"),
    ("grade", "--graders", "graders.yaml", "--context", "context.json"),
    ("grade", "--graders", "graders.yaml", "--context", "context.json", "--format", "json"),
    ("convert", "eval.yaml", "--to", "vally", "--out", "there"),
]


def assert_inert(*printed: str) -> None:
    for it in printed:
        assert not set(it) & {"\x1b", "\x07", "\x9b", "\u2028"}
        assert not re.search(r"^\s*::|##\[|##vso\[", it, re.MULTILINE)


def said_in_process(*arguments: str) -> list[str]:
    """What the command line prints; a process for each of many commands would take a minute."""
    done = CliRunner().invoke(main, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return [done.stdout, done.stderr]


def test_names_and_models_are_no_commands_to_a_terminal_or_a_ci_system(
    victim: Victim, monkeypatch: pytest.MonkeyPatch
) -> None:
    graders = f'- type: text\n  name: "{FORGED}"\n  config: {{contains: ["{FORGED}never"]}}\n'
    victim.write_suite(
        task=f'inputs: {{prompt: "{FORGED}"}}\ntags: ["{FORGED}"]\n',
        graders=graders,
        eval_keys=f'metrics: [{{name: "{FORGED}", weight: 1, threshold: 0.5}}]\n',
    )
    text = victim.eval_file.read_text(encoding="utf-8")
    text = text.replace("name: victim", f'name: "{FORGED}"').replace("model: m", f'model: "{FORGED}"')
    victim.eval_file.write_text(text, encoding="utf-8")
    task = victim.workspace / "tasks" / "one.yaml"
    task.write_text(
        task.read_text(encoding="utf-8").replace("id: one", f'id: "::error::{FORGED}"'), encoding="utf-8"
    )
    (victim.workspace / "graders.yaml").write_text(graders, encoding="utf-8")
    (victim.workspace / "context.json").write_text(json.dumps({"output": "::error::x"}), encoding="utf-8")
    monkeypatch.chdir(victim.workspace)
    for arguments in COMMANDS_THAT_SHOW_AN_EVAL:
        printed = said_in_process(*arguments)
        assert_inert(*printed)
        assert "forged" in "".join(printed), arguments


@pytest.mark.slow
def test_an_eval_that_cannot_be_loaded_is_told_in_one_line(
    victim: Victim, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = victim.eval_file.read_text(encoding="utf-8")
    # With a scenario, waza refuses unknown keys.
    victim.eval_file.write_text(f'{text}scenario: one\n"{FORGED}": 1\n', encoding="utf-8")
    monkeypatch.chdir(victim.workspace)
    _, told = said_in_process("run", "eval.yaml")
    assert_inert(told)
    assert len(told.splitlines()) == 1
    named = victim.workspace / "\n::error::forged\x1b[2J.eval.yaml"
    victim.eval_file.rename(named)
    for arguments in (("check",), ("check", "--diff"), ("run", named.name), ("check", f"--{named.name}")):
        assert_inert(*said_in_process(*arguments))


def test_a_message_cannot_forge_a_command_of_github(victim: Victim) -> None:
    key = '"x\\n::error::forged\\n::set-output name=a::b"'
    victim.eval_file.write_text(f"name: n\nskill: s\nconfig: {{}}\n{key}: 1\ntasks: []\n", encoding="utf-8")
    done = victim.call("check", "--format", "github", "eval.yaml")
    assert done.stdout.strip()
    for line in done.stdout.splitlines():
        assert line.startswith(("::error file=", "::warning file=", "::notice file=")), line


@pytest.mark.slow
def test_the_html_report_runs_no_script_of_a_file(victim: Victim) -> None:
    script = "<script>alert(1)</script><img src=x onerror=alert(1)>'\\\"><svg/onload=alert(1)>"
    victim.write_suite(
        task=f'inputs: {{prompt: "{script}"}}\ntags: ["{script}"]\n',
        graders=f'- type: text\n  name: "{script}"\n  config: {{contains: ["{script}-never"]}}\n',
    )
    text = victim.eval_file.read_text(encoding="utf-8").replace("name: victim", f'name: "</title>{script}"')
    victim.eval_file.write_text(text, encoding="utf-8")
    victim.call("run", "eval.yaml", "--html", "report.html")
    report = (victim.workspace / "report.html").read_text(encoding="utf-8")
    assert "alert(1)" in report
    for it in ("<script>alert", "<img src=x", "<svg/onload", "</title><script"):
        assert it not in report


@pytest.mark.parametrize(
    "run_id", first_quick(["../../outside", "x' OR '1'='1", "%2e%2e", "\x00", "-1", "a" * 10_000])
)
def test_a_run_id_is_no_path_and_no_query(run_id: str, victim: Victim) -> None:
    victim.call("run", "eval.yaml")
    if "\x00" in run_id:
        run_id = "\ufffd"
    done = victim.call("report", run_id)
    assert done.returncode == 2
    assert CANARY not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_store_in_the_repository_cannot_bring_code(victim: Victim) -> None:
    """A repository can hold a `.waza-lsp` folder of somebody else's making."""
    store = victim.workspace / ".waza-lsp"
    store.mkdir()
    for name in ("runs.sqlite3", "runs.db", "store.db"):
        (store / name).write_bytes(b"not a database" * 100)
    done = victim.call("runs")
    assert done.returncode in {0, 2}
    run = victim.call("run", "eval.yaml")
    assert run.returncode in {0, 1, 2}


def test_programs_of_a_checkpoint_or_hook_only_run_in_a_run(victim: Victim) -> None:
    hook = "hooks:\n" + indent(f"before_run: [{{command: touch {victim.workspace / 'made'}}}]\n", "  ")
    victim.write_suite(eval_keys=hook)
    victim.call("check")
    victim.call("schema", "list")
    assert not (victim.workspace / "made").exists()
