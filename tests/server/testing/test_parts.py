"""`waza/tests {since, most}`: the tree comes in parts, and is whole in the end."""

import os
from pathlib import Path
from typing import Any

from tests.server.results_harness import editor, plain
from tests.server.testing.test_changes import applied, flat

EVAL = "name: {0}\nstimuli:\n  - name: {1}\n    prompt: p\n    graders:\n      - {{type: completed}}\n"
TASKS_ELSEWHERE = "name: files\nskill: s\nversion: '1.0'\nconfig: {executor: mock, model: m, trials_per_task: 1}\ntasks: [tasks/*.yaml]\n"
NAMES = [f"e{it}" for it in range(7)]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def fill(folder: Path, task: str) -> None:
    for name in NAMES:
        write(folder / name / "eval.yaml", EVAL.format(name, task))


class Client:
    def __init__(self, it: Any) -> None:
        self._it = it
        self.version = 0
        self.tree: dict[Any, Any] = {}

    async def part(self, **most: int) -> bool:
        """Ask for a part, apply it as `docs/protocol.md` says, and tell whether there is more."""
        params = {"since": self.version, **most}
        answer = plain(await self._it.client.protocol.send_request_async("waza/tests", params))
        self.version = answer["version"]
        if answer["items"] is not None:
            self.tree = flat(answer["items"])
        else:
            self.tree = applied(self.tree, answer)
        return bool(answer["more"])

    def labels(self, parent: str | None = None) -> list[str]:
        found = [it for (above, _), it in self.tree.items() if above == parent]
        return [it["label"] for it in sorted(found, key=lambda it: it["index"])]

    def tasks(self) -> set[str]:
        return {it["label"] for it in self.tree.values() if it["kind"] == "task"}


async def test_the_tree_comes_in_parts_and_is_whole_in_the_end(tmp_path: Path) -> None:
    fill(tmp_path, "first")
    write(tmp_path / "a" / "eval.yaml", TASKS_ELSEWHERE)
    for name in ("x", "y"):
        write(tmp_path / "a" / "tasks" / f"{name}.yaml", f"id: {name}\nname: {name}\ninputs: {{prompt: p}}\n")
    async with editor(tmp_path) as it:
        client, seen = Client(it), []
        while await client.part(most=3):
            seen.append(client.labels())
        assert seen == [["files", "e0", "e1"], ["files", *NAMES[:5]]]
        fresh = Client(it)
        assert not await fresh.part()
        assert client.tree == fresh.tree
        assert client.labels() == ["files", *NAMES]
        assert client.tasks() == {"first", "x", "y"}


async def test_evals_that_are_not_read_again_yet_stay_as_they_were(tmp_path: Path) -> None:
    fill(tmp_path, "first")
    async with editor(tmp_path) as it:
        client = Client(it)
        assert not await client.part(most=100)
        fill(tmp_path, "a longer name")
        (tmp_path / "e6" / "eval.yaml").unlink()
        write(tmp_path / "e55" / "eval.yaml", EVAL.format("e55", "new"))
        assert await client.part(most=4)
        assert client.labels() == NAMES[:6]
        assert client.tasks() == {"a longer name", "first"}
        assert not await client.part(most=4)
        assert client.labels() == [*NAMES[:6], "e55"]
        assert client.tasks() == {"a longer name", "new"}


async def test_a_file_that_is_touched_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path, "first")
    async with editor(tmp_path) as it:
        client = Client(it)
        await client.part(most=100)
        before = client.tree
        os.utime(tmp_path / "e3" / "eval.yaml")
        assert not await client.part(most=100)
        assert client.tree == before
