"""Check pages of the HTML reports, call macros of their templates, and make a run to report on."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.executors.base import TrialRequest
from waza_engine.executors.event_log import EventLog
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import GraderEntry, InputFile
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.html.rendering import environment

NASTY = "</pre><script>alert(1)</script>\"'><img src=x onerror=y>"
EVAL = """\
# Graders of all tasks.
graders:
- type: text
  name: says
  config:
    # What people wait for.
    contains: [hello]
    not_contains: [bad word]
- type: file
  name: wrote
  config:
    must_exist: [out/a.txt]
  # The next one is in one line.
- {type: tool_calls, name: looked, config: {expect: [{tool: ^view$, args: {path: {equals: b.txt}}}]}}

# The end.
"""


_VOID = frozenset(["meta", "br", "img", "link", "tr", "td", "th", "li", "p", "dt", "dd"])


class _Balanced(HTMLParser):
    """Fails on a tag that is never closed, or closed twice; some may be left open in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "img", "link", "iframe", "object"}
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in _VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.opened.pop() == tag


def well_formed(text: str) -> str:
    parser = _Balanced()
    parser.feed(text)
    assert parser.opened == []
    return text


def dead_links(page: str) -> list[str]:
    """Links within a page to nothing."""
    ids = re.findall(r' id="(.+?)"', page)
    assert len(ids) == len(set(ids))
    return sorted(set(re.findall(r'href="#(.+?)"', page)) - set(ids))


def macro(template: str, name: str, *arguments: Any) -> str:
    """Call a macro of a template, which must return balanced HTML."""
    module = environment().get_template(f"{template}.html.j2").module
    return well_formed(str(getattr(module, name)(*arguments)))


async def edited(bench: Bench, scripted: Scripted) -> RunRecord:
    """Three trials of two tasks, of which some fail; the agent edits files."""

    async def edits(request: TrialRequest) -> Trajectory:
        log = EventLog()
        log.add("user.message", {"content": request.task.prompt})
        log.add("tool.execution_start", {"toolCallId": "1", "toolName": NASTY, "arguments": {"path": NASTY}})
        log.add("tool.execution_complete", {"toolCallId": "1", "success": True, "result": {"content": NASTY}})
        log.say("hello" if request.trial != 2 else "nope")
        (request.workspace_dir / "in.txt").write_text("new <line>\n", encoding="utf-8")
        (request.workspace_dir / "more.md").write_text("# More\n", encoding="utf-8")
        (request.workspace_dir / "gone.txt").unlink()
        return log.trajectory(task=request.task.id, model="m", prompt=request.task.prompt, duration_ms=20)

    scripted.perform = edits
    files = (InputFile("in.txt", b"old line\n"), InputFile("gone.txt", b"bye\n"), InputFile("same.txt", b"x"))
    graders = (contains("hello"), contains("world", name="world"))
    tasks = (task("a", files=files, name=NASTY), task("b", files=files))
    return await bench.run(bench.suite(*tasks, graders=graders), scripted, trials=3)


def entries(path: Path) -> tuple[GraderEntry, ...]:
    """The graders of `EVAL`."""
    path.write_text(EVAL, encoding="utf-8")
    configs: list[tuple[str, str, dict[str, object]]] = [
        ("text", "says", {"contains": ["hello"], "not_contains": ["bad word"]}),
        ("file", "wrote", {"must_exist": ["out/a.txt"]}),
        ("tool_calls", "looked", {"expect": [{"tool": "^view$", "args": {"path": {"equals": "b.txt"}}}]}),
    ]
    return tuple(
        GraderEntry(kind, name, 1.0, config, path=path, pointer=("graders", index))
        for index, (kind, name, config) in enumerate(configs)
    )


async def failing(bench: Bench, scripted: Scripted) -> RunRecord:
    """Tasks that pass and fail; the agent of the failed one views a wrong file and says a bad word."""

    async def works(request: TrialRequest) -> Trajectory:
        log = EventLog()
        log.add("user.message", {"content": request.task.prompt})
        path = "a.txt" if request.task.id == "bad" else "b.txt"
        log.add("tool.execution_start", {"toolCallId": "1", "toolName": "view", "arguments": {"path": path}})
        log.add("tool.execution_complete", {"toolCallId": "1", "success": True, "result": {"content": "x"}})
        if request.task.id == "good":
            (request.workspace_dir / "out").mkdir()
            (request.workspace_dir / "out/a.txt").write_text("a", encoding="utf-8")
        log.say("hello" if request.task.id == "good" else f"first\nsays a bad word {NASTY}")
        return log.trajectory(task=request.task.id, model="m", prompt=request.task.prompt, duration_ms=20)

    scripted.perform = works
    graders = entries(bench.folder / "eval.yaml")
    return await bench.run(bench.suite(task("good"), task("bad", name=NASTY), graders=graders), scripted)
