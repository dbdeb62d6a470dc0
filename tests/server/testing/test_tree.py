"""`waza/tests`: the tree of a test view, and the events that update it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server import results_harness
from tests.server.results.test_lenses import make_fail, run_outside
from tests.server.results_harness import editor, until
from waza_lsp.features.tests import tests as trees_of
from waza_lsp.server.build import build_session
from waza_lsp.server.testing import tree as tree_module
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles


async def tree(it: Any, **params: Any) -> list[Any]:
    found: list[Any] = await it.client.protocol.send_request_async("waza/tests", params)
    return found


def part(item: Any, name: str) -> Any:
    return item[name] if isinstance(item, dict) else getattr(item, name)


async def test_the_tree_of_the_workspace(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        [root] = await tree(it)
        assert (part(root, "kind"), part(root, "label")) == ("eval", "code-explainer-eval")
        names = [(part(child, "kind"), part(child, "id")) for child in part(root, "children")]
        assert names == [
            ("task", "comment-worker-pool"),
            ("task", "document-query"),
            ("task", "explain-debounce-short"),
            ("task", "explain-retry"),
            ("grader", "opened-the-file"),
            ("grader", "no-excuses"),
        ]
        task = part(root, "children")[3]
        assert part(part(part(task, "range"), "end"), "line") > 20
        assert part(task, "uri") == (suite / "tasks" / "explain-retry.yaml").as_uri()
        assert [part(child, "id") for child in part(task, "children")] == [
            "names-the-ideas",
            "has-some-substance",
        ]
        command = part(task, "command")
        assert part(command, "command") == "waza.runTask"
        await it.execute("waza.runTask", **_plain(part(command, "arguments")[0]))
        [root] = await tree(it, uri=(suite / "tasks" / "explain-retry.yaml").as_uri())
        verdicts = [part(child, "verdict") for child in part(root, "children")[:4]]
        assert verdicts[:3] == [None, None, None]
        assert part(verdicts[3], "status") == "passed"


@pytest.mark.slow
async def test_open_texts_come_before_files(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / "explain-retry.yaml")
        it.replace("id: explain-retry", "id: another-id")
        [root] = await tree(it)
        assert "another-id" in [part(child, "id") for child in part(root, "children")]


@pytest.mark.slow
async def test_tasks_that_share_an_id_are_told_apart(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / "explain-retry.yaml")
        it.replace("id: explain-retry", "id: document-query")
        [root] = await tree(it)
        keys = [part(child, "key") for child in part(root, "children")]
        assert len(keys) == len(set(keys))


@pytest.mark.slow
async def test_last_verdicts_come_with_their_graders_and_reasons(tmp_path: Path, suite: Path) -> None:
    file = suite / "tasks" / "explain-retry.yaml"
    make_fail(file)
    run_outside(tmp_path, suite / "eval.yaml")
    async with editor(tmp_path) as it:
        await tree(it)
        await until(lambda: it.trees_changed)
        [root] = [results_harness.plain(one) for one in await tree(it)]
        tasks = {one["id"]: one for one in root["children"] if one["kind"] == "task"}
        failed, passed = tasks["explain-retry"], tasks["document-query"]
        assert failed["tags"] == ["python", "explain"]
        assert {one["verdict"]["status"] for one in passed["children"]} == {"passed"}
        statuses = {one["id"]: one["verdict"]["status"] for one in failed["children"]}
        assert statuses == {"names-the-ideas": "failed", "has-some-substance": "passed"}
        [message] = failed["verdict"]["messages"]
        assert message["key"] == failed["children"][0]["key"]
        assert message["message"].startswith('"no such words" not found')
        assert not failed["verdict"]["stale"]
        # Of another text, nothing is known but what failed before.
        it.open(file)
        it.replace("name: has-some-substance", "name: has-substance")
        [root] = [results_harness.plain(one) for one in await tree(it, uri=it.uri)]
        [failed] = [one for one in root["children"] if one["id"] == "explain-retry"]
        assert failed["verdict"]["stale"]
        assert failed["children"][1]["verdict"] is None


@pytest.mark.parametrize(
    ("spec", "own", "expected"),
    [
        ("tags: {tier: ci}", "tags: {area: [a, b]}", ["tier=ci", "area=a", "area=b"]),
        ("tags: {tier: ci}", "tags: {tier: nightly}", ["tier=nightly"]),
        ("tags: {tier: ci}", "prompt: p", ["tier=ci"]),
        ("description: d", "tags: [a, b]", ["a", "b"]),
        ("description: d", "tags: word", []),
        ("tags: [a]", "tags:", []),
        ("tags: {ok: true, none: }", "prompt: p", ["ok=true"]),
    ],
)
def test_tags_are_as_filters_match_them(tmp_path: Path, spec: str, own: str, expected: list[str]) -> None:
    text = f"name: n\n{spec}\nstimuli:\n  - name: a\n    {own}\n    graders: []\n"
    snapshot = Snapshot.of((tmp_path / "eval.yaml").as_uri(), text)
    [root] = trees_of([snapshot], WorkspaceFiles(tmp_path))
    assert json.loads(root.json())["children"][0]["tags"] == expected


async def test_files_that_are_no_evals_have_no_tree(tmp_path: Path) -> None:
    path = tmp_path / "ci.yaml"
    path.write_text("on: push\njobs: {}\n", encoding="utf-8")
    async with editor(tmp_path) as it:
        assert await tree(it) == []
        assert await tree(it, uri=path.as_uri()) == []
        assert await tree(it, uri="untitled:one") == []


def _plain(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else value._asdict()


async def test_the_tree_is_made_again_only_if_a_file_has_changed(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(evals: Any, workspace: Any) -> Any:
        made.append(1)
        return trees_of(evals, workspace)

    monkeypatch.setattr(tree_module, "tests", counted)
    # As if the files had been written long before.
    monkeypatch.setattr(time, "time_ns", lambda: 2**63)
    session = build_session()
    protocol = session.client.protocol
    params: dict[str, Any] = {"processId": None, "rootUri": suite.as_uri(), "capabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    protocol.handle_message(protocol.structure_message(message))
    first = await session.tests.items()
    made_first = len(made)
    assert await session.tests.items() == first
    assert len(made) == made_first
    path = suite / "tasks" / "explain-retry.yaml"
    path.write_text(path.read_text("utf-8").replace("id: explain-retry", "id: another-id"), "utf-8")
    [root] = await session.tests.items()
    assert "another-id" in [it.id for it in root.children]
    (suite / "tasks" / "new.yaml").write_text("id: new\nname: New\ninputs: {prompt: hi}\n", "utf-8")
    [root] = await session.tests.items()
    assert "new" in [it.id for it in root.children]
