"""What is small in a file stays small in memory, and what is shown hides nothing."""

import json
import re
import resource
import subprocess
import sys

import pytest

from tests.hostility.bait import COMMAND, Victim
from tests.hostility.test_foreign_files import bounded
from tests.slow import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
HEAD = "name: n\nskill: s\nconfig: {executor: mock, model: m}\n"
DEEP = "(" * 5_000 + "a" + ")" * 5_000
GROWING = {
    "aliases in a list": HEAD + "x: &a [1, 2, 3, 4, 5, 6, 7, 8]\ntasks: [" + "*a, " * 12_000 + "]\n",
    "aliases of a grader": HEAD
    + "x: &a {type: text, name: g, config: {contains: [a, b], x: y}}\ngraders: ["
    + "*a, " * 12_000
    + "]\ntasks: []\n",
    "a deep pattern": HEAD + f"graders:\n- {{type: text, name: g, config: {{regex_match: ['{DEEP}']}}}}\n",
    "a deep pattern for JavaScript": "name: n\nstimuli:\n- name: a\n  prompt: x\n  graders:\n"
    f"  - {{type: output-matches, config: {{pattern: '{DEEP}'}}}}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", first_quick(GROWING, 1))
def test_a_check_of_a_small_file_takes_little_memory(name: str, victim: Victim) -> None:
    """Class: 48 kB that took 882 MB."""
    victim.eval_file.write_text(GROWING[name], encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "check", "--format", "json", "eval.yaml"],
        cwd=victim.workspace,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000)),
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["summary"]["error"]


@pytest.mark.parametrize(
    "text",
    first_quick(
        [
            "[" * 100_000,
            '{"a":' * 100_000,
            json.dumps({"tasks": [], "summary": {}}).replace("[]", "[" * 20_000 + "]" * 20_000),
            '{"tasks": [[[[]]]], "summary": 1}',
        ],
        1,
    ),
)
@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_a_report_of_odd_json_is_an_error_line(name: str, text: str, victim: Victim) -> None:
    """Class: data that is deeper than, or other than, its reader expects."""
    (victim.workspace / name).write_text(text, encoding="utf-8")
    assert bounded(victim, "report", name).returncode == 2


HIDDEN = "\x1b[2J\x07\x9b31m\u202egnirts\u2066x\u2069\u200f"


def test_a_page_hides_no_characters(victim: Victim) -> None:
    """Class: raw control characters, and text that reads in another order than it is written."""
    escaped = HIDDEN.encode("unicode_escape").decode()
    victim.write_suite(
        task=f'inputs: {{prompt: "{escaped}"}}\ntags: ["{escaped}"]\n',
        graders=f'- type: text\n  name: "g{escaped}"\n  config: {{contains: ["{escaped}never"]}}\n',
    )
    bounded(victim, "run", "eval.yaml", "--html", "report.html")
    page = (victim.workspace / "report.html").read_text(encoding="utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", page)
    assert "\\u202egnirts" in page
    assert "\\u001b[2J" in page


@pytest.mark.parametrize(
    "pattern", first_quick(["../" * 30 + "etc/*", "linked/*", "../outside/*", "*/../../outside/*"], 1)
)
def test_a_glob_lists_nothing_outside_of_the_repository(pattern: str, victim: Victim) -> None:
    """Class: patterns that show what is on the machine."""
    (victim.workspace / ".git").mkdir()
    (victim.workspace / "linked").symlink_to(victim.outside.parent)
    text = victim.eval_file.read_text(encoding="utf-8").replace("tasks/*.yaml", pattern)
    victim.eval_file.write_text(text, encoding="utf-8")
    for command in ("check --format json", "run eval.yaml", "run eval.yaml --dry-run"):
        done = bounded(victim, *command.split())
        assert done.returncode in {1, 2}
        assert not re.search(r"secret\.txt|passwd|hosts", done.stdout + done.stderr)
