"""The extension's own decisions, without an editor: which Python, which programs, what a failure means."""

import base64
import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from tests.editors.extension_modules import bundled, require_modules
from tests.engine.reports.html.audits import audited_eval
from tests.engine.reports.html.pages import dead_links, well_formed
from tests.engine.reports.trace.pages import SCRIPT, Page
from waza_engine.reports.html.audit import html_audit
from waza_engine.reports.trace import page as trace

pytestmark = pytest.mark.editor
BUNDLE = {"pip": "/b/pip-1-py3-none-any.whl", "requirements": "/b/requirements.txt", "packages": 3}


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Modules of the extension that need neither VS Code nor a process, as one that Node loads."""
    require_modules()
    return bundled(
        tmp_path_factory.mktemp("logic"),
        ["choosePython", "installSteps", "paced", "tracePage", "treeShifts", "webPage"],
    )


def call(extension: Path, function: str, *arguments: object) -> object:
    """Call a function of the extension with values that JSON can hold."""
    script = f"""\
const logic = require({json.dumps(str(extension))});
process.stdout.write(JSON.stringify(logic.{function}(...{json.dumps(arguments)})) ?? 'null');
"""
    done = subprocess.run(["node", "-e", script], capture_output=True, check=True)
    return json.loads(done.stdout)


def python(version: str, file: str = "python3", implementation: str = "cpython") -> dict[str, object]:
    return {"file": file, "version": [int(it) for it in version.split(".")], "implementation": implementation}


def test_the_first_python_that_is_tried_is_chosen(extension: Path) -> None:
    old, new, newest = python("3.9"), python("3.12"), python("3.15")
    gone, other = {"file": "/gone/python3"}, python("3.11", implementation="pypy")
    assert call(extension, "choosePython", [gone, old, other, newest, new, python("3.13")]) == new
    assert call(extension, "choosePython", [old, newest]) == newest
    assert call(extension, "choosePython", [gone, old, other, python("2.7")]) is None
    assert call(extension, "choosePython", [python("3.2"), python("4.0")]) == python("4.0")


def test_the_reason_why_no_python_is_suitable_names_the_newest(extension: Path) -> None:
    assert call(extension, "whyNone", [{"file": "/gone"}]) == (
        "waza-lsp needs Python 3.11 or newer, and found no Python on this machine."
    )
    found = [python("3.9", "/a"), {"file": "/gone"}, python("3.10", "/b"), python("2.7", "/c")]
    assert "found only Python 3.10 (/b)." in str(call(extension, "whyNone", found))
    assert "found only pypy 3.11 (/p)." in str(call(extension, "whyNone", [python("3.11", "/p", "pypy")]))


@pytest.mark.parametrize(
    "steps",
    [
        ("stepsWithPip", "/usr/bin/python3", "/made", "/made/bin/python", BUNDLE),
        ("stepsWithUv", "/usr/bin/uv", "/usr/bin/python3", "/made", "/made/bin/python", BUNDLE, False),
    ],
    ids=["pip", "uv"],
)
def test_only_the_lock_file_is_installed(extension: Path, steps: tuple[str, ...]) -> None:
    answer = call(extension, *steps)
    assert isinstance(answer, list)
    install = answer[-1]["command"]
    assert {"--require-hashes", "--no-deps", "--only-binary"} <= set(install)
    assert install[-2:] == ["-r", "/b/requirements.txt"]
    named = [
        it
        for it in install[install.index("install") + 1 :]
        if not it.startswith(("-", "/", ":")) and it != "2"
    ]
    assert named == []


def test_uv_fetches_a_python_if_there_is_none_and_can_work_from_its_cache(extension: Path) -> None:
    answer = call(extension, "stepsWithUv", "uv", None, "/made", "/made/bin/python", BUNDLE, True)
    assert isinstance(answer, list)
    assert [it["command"][1] for it in answer] == ["venv", "pip"]
    assert all("--offline" in it["command"] for it in answer)
    assert ">=3.11,<3.15" in answer[0]["command"]


def test_variables_that_install_elsewhere_are_left_out(extension: Path) -> None:
    given = {
        "PATH": "/bin",
        "PIP_INDEX_URL": "u",
        "PYTHONHOME": "/h",
        "PIP_TARGET": "/t",
        "Virtual_Env": "/v",
    }
    answer = call(extension, "stepEnvironment", given, "/dev/null")
    assert answer == {
        "PATH": "/bin",
        "PIP_INDEX_URL": "u",
        "UV_NATIVE_TLS": "true",
        "UV_SYSTEM_CERTS": "true",
        "PIP_CONSTRAINT": "/dev/null",
        "PIP_REQUIRE_VIRTUALENV": "0",
        "PIP_USER": "0",
    }


def test_items_behind_a_new_one_move_without_being_sent(extension: Path) -> None:
    shifts = {
        "moved": [{"uri": "u", "line": 10, "lines": 6}],
        "pointers": [{"uri": "u", "list": ["stimuli"], "index": 2, "by": 1}],
        "places": [{"parent": "eval", "index": 2, "by": 1}],
    }

    def item(uri: str, line: int, pointer: list[str | int], index: int) -> dict[str, object]:
        place = {"line": line, "character": 4}
        return {"uri": uri, "range": {"start": place, "end": place}, "pointer": pointer, "index": index}

    behind = call(extension, "shifted", item("u", 12, ["stimuli", 3, "graders", 0], 0), "task", shifts)
    place = {"line": 18, "character": 4}
    assert behind == {"range": {"start": place, "end": place}, "pointer": ["stimuli", 4, "graders", 0]}
    assert call(extension, "shifted", item("u", 9, ["stimuli", 1], 1), "eval", shifts) == {}
    assert call(extension, "shifted", item("u", 9, ["stimuli"], 1), "eval", shifts) == {}
    assert call(extension, "shifted", item("v", 12, ["stimuli", 3], 3), "eval", shifts) == {"index": 4}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            [
                "WARNING: Retrying (Retry(total=1)) after connection broken by 'NewConnectionError(...)'",
                "ERROR: No matching distribution found for attrs==26.1.0",
            ],
            "could not be reached",
        ),
        (
            ["error: Failed to fetch: `https://example.com/simple/attrs/`", "  Caused by: dns error"],
            "could not be reached",
        ),
        (
            ["ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."],
            "another file than expected",
        ),
        (["error: Hash mismatch for `attrs==26.1.0`"], "another file than expected"),
        (["ERROR: No matching distribution found for google-re2==1.1"], "Choose another Python"),
        (["OSError: [Errno 28] No space left on device"], "The disk is full."),
        (["first", "something else", ""], "The installation failed: something else"),
        ([], "The installation failed."),
    ],
)
def test_a_failure_says_what_to_do(extension: Path, lines: list[str], expected: str) -> None:
    assert expected in str(call(extension, "explainFailure", lines))


def test_links_of_a_page_lead_to_what_is_not_folded(extension: Path) -> None:
    page = well_formed("".join(html_audit([audited_eval(12)])))
    shown = str(call(extension, "webPage", page, False))
    assert "<summary><b>" not in shown
    assert dead_links(well_formed(shown)) == []
    assert shown.count('<summary id="audit-') == page.count('<div class="inner" id="audit-') > 3
    assert "prefers-color-scheme" not in shown


PACED = """\
const { paced } = require(%s);
const timers = [];
globalThis.setTimeout = (wake) => timers.push(wake);
const settled = () => new Promise(setImmediate);
let count = 0, isWanted = true, end;
const it = paced(() => new Promise((...ends) => ((count += 1), (end = ends))), () => isWanted);
(async () => {
  const counts = [];
  for (const step of [
    () => (it.changed(), it.changed()),
    () => end[0](),
    () => timers.pop()(),
    () => (it.changed(), timers.pop()()),
    () => end[1]('it failed'),
    () => (end[0](), timers.pop()()),
    () => ((isWanted = false), it.changed(), it.resume()),
    () => ((isWanted = true), it.resume()),
    () => (end[0](), timers.pop()()),
    () => it.resume(),
  ]) {
    step();
    await settled();
    counts.push(count);
  }
  console.log(JSON.stringify([counts, timers.length]));
})();
"""


def test_work_is_repeated_after_changes_but_one_at_a_time_with_pauses_and_only_while_wanted(
    extension: Path,
) -> None:
    script = PACED % json.dumps(str(extension))
    done = subprocess.run(["node", "-e", script], capture_output=True, check=True)
    # Not before the pause is over, not while the work goes on, also after a failure, and not while nobody wants it.
    assert json.loads(done.stdout) == [[1, 1, 2, 2, 3, 3, 3, 4, 4, 4], 0]


PAGES = """\
const Module = require('node:module');
const load = Module._load;
const files = { a: '1', report: 'r' };
const drawn = [], asked = [];
let view, close;
const panel = {
  visible: true,
  webview: { set html(text) { drawn.push(text); } },
  reveal() {},
  onDidChangeViewState: (listener) => (view = listener),
  onDidDispose: (listener) => (close = listener),
};
const vscode = {
  ColorThemeKind: {},
  ViewColumn: {},
  Uri: { parse: (text) => text },
  window: {
    activeColorTheme: {},
    createWebviewPanel: () => panel,
    onDidChangeActiveColorTheme: () => ({ dispose() {} }),
  },
  workspace: { fs: { readFile: async (uri) => new TextEncoder().encode(files[uri]) } },
};
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
const { auditChanged, showAudit, showReport } = require(%s);
const timers = [];
globalThis.setTimeout = (wake) => timers.push(wake);
const ask = async (method, { command, arguments: [argument] }) => {
  asked.push([method, command, argument]);
  return { uri: 'a', eval: 'e' };
};
const step = async (change) => {
  await change();
  await new Promise(setImmediate);
  timers.splice(0).forEach((wake) => wake());
  await new Promise(setImmediate);
};
(async () => {
  const counts = [];
  for (const change of [
    () => showAudit({ uri: 'a', eval: 'e' }, { uri: 't', task: 'first' }),
    () => auditChanged('other', ask),
    () => auditChanged('e', ask),
    () => ((files.a = '2'), auditChanged('e', ask)),
    () => ((panel.visible = false), (files.a = '3'), auditChanged('e', ask), view()),
    () => ((panel.visible = true), view()),
    () => showReport({ uri: 'report' }),
    () => auditChanged('e', ask),
    () => showAudit({ uri: 'a' }, {}),
    () => auditChanged('e', ask),
    () => showAudit({ uri: 'a', eval: 'e' }, {}),
    () => (close(), auditChanged('e', ask)),
  ]) {
    await step(change);
    counts.push([asked.length, drawn.length]);
  }
  console.log(JSON.stringify([asked[0], counts]));
})();
"""


def test_the_page_of_an_audit_is_asked_for_again_while_it_is_visible(tmp_path: Path) -> None:
    require_modules()
    modules = bundled(tmp_path, ["report"], "--external:vscode")
    done = subprocess.run(["node", "-e", PAGES % json.dumps(str(modules))], capture_output=True, check=True)
    request, counts = json.loads(done.stdout)
    argument = {"uri": "e", "task": "first", "quiet": True}
    assert request == ["workspace/executeCommand", "waza.showAudit", argument]
    # How often it was asked for, and drawn.
    assert counts == [
        [0, 1],  # the first page
        [0, 1],  # another eval
        [1, 1],  # the same page again
        [2, 2],  # a new one
        [2, 2],  # hidden
        [3, 3],  # visible again
        [3, 4],  # a report in its place
        [3, 4],
        [3, 5],  # the page of an older server
        [3, 5],
        [3, 6],
        [3, 6],  # closed
    ]


def test_a_trace_page_gets_the_theme_and_a_bridge_and_runs_nothing_else(
    extension: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    style = "@media(prefers-color-scheme:dark){body{color:red}}"
    monkeypatch.setattr(trace, "viewer", lambda: (SCRIPT, style, ""))
    html = "".join(trace.trace_page([]))
    for is_dark, query in ((True, "@media all"), (False, "@media not all")):
        shown = str(call(extension, "tracePage", html, is_dark, "file:///x</script>$&"))
        found = Page(shown)
        assert [tag for tag, _ in found.tags].count("script") == 4
        [policy] = [it["content"] or "" for tag, it in found.tags if tag == "meta" and "http-equiv" in it]
        changed = shown.split("<style>")[1].split("</style>", maxsplit=1)[0]
        assert changed.startswith(f"{query}{{body{{color:red}}}}")
        bridge = shown.split("<script>")[1].split("</script>", maxsplit=1)[0]
        hashes = {
            f"'sha256-{base64.b64encode(hashlib.sha256(it.encode()).digest()).decode()}'"
            for it in (SCRIPT, bridge, changed)
        }
        assert {it.rstrip(";") for it in policy.split() if it.startswith("'sha256")} == hashes
        assert "unsafe" not in policy


def test_the_title_of_a_trace_is_plain_text(extension: Path) -> None:
    page = "<title>a &lt;b&gt; &amp;lt; &quot;c&quot; &#x27;d&#x27;</title>"
    assert call(extension, "traceTitle", page) == "a <b> &lt; \"c\" 'd'"
    assert call(extension, "traceTitle", "") == ""
