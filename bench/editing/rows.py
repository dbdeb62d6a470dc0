"""Measurements of one server on one file. Times are in milliseconds, from sending to the last byte."""

import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.editing.client import Editor, Server, Told
from bench.editing.documents import Written

Rows = dict[str, float]
_INDENT = " " * 6
_SCREEN = 40
"""The lines that an editor shows at once."""
_ALL = 1_000_000
_HOVERS = 20
_SETTLED = 0.35
"""Seconds. Longer than the typing delay of the servers."""


def measured(server: Server, it: Written, root: Path, *, edits: int) -> Rows:
    """Measure one start of a server."""
    (root / "eval.yaml").write_text(it.text, encoding="utf-8")
    # The end of a repository: what others write into the folders above it is none of a server's business.
    (root / ".git").mkdir()
    with Editor(server, root) as editor:
        return {
            **_opened(editor, it),
            **_edited(editor, it, edits),
            **_hovered(editor, it),
            **_completed(editor, it, edits),
            **_asked(editor, it, edits),
            **_burst(editor, it),
            # Last: a change of the settings file is still being handled while the next row is measured.
            **_edited_for_a_target(editor, it, edits, root),
            "memory, peak MB": editor.tree.peak,
            **({"processes": float(editor.tree.most)} if server.has_rules else {}),
        }


def _opened(editor: Editor, it: Written) -> Rows:
    sent = time.perf_counter()
    editor.open(it.lines)
    has_rules = editor.server.has_rules
    first = editor.until(_has_all(it, _SCREEN, beyond_schema=has_rules), 0)
    complete = editor.until(_has_all(it, beyond_schema=has_rules), 0)
    editor.answer("textDocument/hover", editor.at(it.lines.index("graders:") + 1, 5))
    hovered = time.perf_counter()
    editor.quiet(_SETTLED)
    settled = editor.cpu()
    last = editor.told[-1]
    editor.close()
    editor.quiet(0.05)
    since, again = len(editor.told), time.perf_counter()
    editor.open(it.lines)
    # More than before where a busy machine made a server look idle before its first findings were complete.
    warm = editor.until(lambda told: len(told.items) >= len(last.items), since)
    editor.quiet(_SETTLED)
    return {
        "start -> initialize": editor.initialized * 1000,
        "start -> first screen": (first.at - editor.started) * 1000,
        "start -> complete findings": (complete.at - editor.started) * 1000,
        "start -> complete findings, CPU": complete.cpu * 1000,
        "start -> hover": (hovered - editor.started) * 1000,
        "start until idle, CPU": settled * 1000,
        "open -> complete findings": (complete.at - sent) * 1000,
        "open again -> findings": (warm.at - again) * 1000,
    }


def _has_all(it: Written, lines: int = _ALL, *, beyond_schema: bool = False) -> Callable[[Told], bool]:
    """Return whether all mistakes in the first lines are reported, with or without those that a schema does not show."""
    mistakes = [line for line in it.mistakes if line < lines]
    expected = {one for one in it.beyond_schema if one[0] < lines} if beyond_schema else set()
    return lambda told: all(map(told.has, mistakes)) and expected <= told.codes()


def _edited(editor: Editor, it: Written, edits: int) -> Rows:
    """Add a letter to a number and remove it again. Each edit adds or removes a finding on that line."""
    times: list[float] = []
    before = editor.cpu()
    for line in _some(it.numbers, edits // 2):
        end = len(editor.lines[line])
        for wrong in (True, False):
            since, sent = len(editor.told), time.perf_counter()
            version = editor.edit(line, end, end, "x") if wrong else editor.edit(line, end, end + 1, "")
            told = editor.until(_shows(line, version, wrong=wrong), since)
            times.append((told.at - sent) * 1000)
            editor.quiet(0.06)
    spent = (editor.cpu() - before) * 1000 / max(1, len(times))
    return {"edit -> findings": statistics.median(times), "edit, CPU": spent}


def _hovered(editor: Editor, it: Written) -> Rows:
    """Hover over a grader's type at once after an edit elsewhere."""
    types = [line for line, text in enumerate(it.lines) if text.startswith("  - type:")]
    times: list[float] = []
    for line, hovered in zip(_some(it.numbers, _HOVERS), _some(types, _HOVERS), strict=True):
        end = len(editor.lines[line])
        editor.edit(line, end, end, "0")
        times.append(editor.seconds("textDocument/hover", editor.at(hovered, 5)) * 1000)
        editor.quiet(0.06)
        editor.edit(line, end, end + 1, "")
        editor.quiet(0.06)
    return {"hover while editing, p95": p95(times)}


def _edited_for_a_target(editor: Editor, it: Written, edits: int, root: Path) -> Rows:
    """Measure edits in a project with an older waza, where each key and value is compared with its version."""
    settings = root / ".waza-lsp.toml"
    settings.write_text('target = "0.20"\n', encoding="utf-8")
    _edited(editor, it, 2)  # The first edit under other settings costs the whole file.
    found = _edited(editor, it, edits)
    settings.unlink()
    return {f"{row} (target)": value for row, value in found.items()}


def _shows(line: int, version: int, *, wrong: bool) -> Callable[[Told], bool]:
    return lambda told: told.version >= version and told.has(line) == wrong


def _completed(editor: Editor, it: Written, edits: int) -> Rows:
    at_once: list[float] = []
    settled: list[float] = []
    for line in _some(it.configs, edits // 2):
        end = len(editor.lines[line])
        editor.edit(line, end, end, "\n" + _INDENT)
        place = editor.at(line + 1, len(_INDENT))
        at_once.append(editor.seconds("textDocument/completion", place) * 1000)
        editor.quiet(_SETTLED)
        request, sent = editor.ask("textDocument/completion", place)
        came, answer = editor.result(request)
        settled.append((came - sent) * 1000)
        items = answer.get("items", []) if isinstance(answer, dict) else answer or []
        if not it.options & {item["label"].rstrip(":") for item in items}:
            raise ValueError(f"{editor.server.name} offers none of the options")
        editor.edit(line, end, len(_INDENT), "", line + 1)
        editor.quiet(_SETTLED)
    return {
        "completion after an edit": statistics.median(at_once),
        "completion, settled": statistics.median(settled),
    }


def _asked(editor: Editor, it: Written, edits: int) -> Rows:
    types = [line for line, text in enumerate(it.lines) if text.startswith("  - type:")]
    hovers = [editor.seconds("textDocument/hover", editor.at(line, 5)) for line in _some(types, edits)]
    params = {"textDocument": {"uri": editor.uri}}
    settled = [editor.seconds("textDocument/documentSymbol", params) for _ in range(5)]
    after: list[float] = []
    for line in _some(it.numbers, 3):
        end = len(editor.lines[line])
        editor.edit(line, end, end, "0")
        after.append(editor.seconds("textDocument/documentSymbol", params))
        editor.quiet(_SETTLED)
        editor.edit(line, end, end + 1, "")
        editor.quiet(_SETTLED)
    return {
        "hover": statistics.median(hovers) * 1000,
        "symbols, settled": statistics.median(settled) * 1000,
        "symbols after an edit": statistics.median(after) * 1000,
    }


def _burst(editor: Editor, it: Written) -> Rows:
    """Type three lines, a key every 30 ms, with a completion at every fifth key, then make a mistake elsewhere."""
    line = _some(it.configs, 1)[0]
    number = min(
        (other for other in it.numbers if abs(other - line) > 3), key=lambda other: abs(other - line)
    )
    row, column, asked = line, len(editor.lines[line]), list[tuple[int, float]]()
    begin, before = time.perf_counter(), editor.cpu()
    for index, key in enumerate(_keys()):
        time.sleep(max(0.0, begin + index * 0.03 - time.perf_counter()))
        editor.edit(row, column, column, key)
        row, column = (row + 1, len(_INDENT)) if key[0] == "\n" else (row, column + 1)
        if index % 5 == 4:
            asked.append(editor.ask("textDocument/completion", editor.at(row, column)))
    number += row - line if number > line else 0
    end, since, sent = len(editor.lines[number]), len(editor.told), time.perf_counter()
    version = editor.edit(number, end, end, "x")
    told = editor.until(_shows(number, version, wrong=True), since)
    times = [(editor.result(request)[0] - then) * 1000 for request, then in asked]
    editor.quiet(0.1)
    spent = editor.cpu() - before
    # The rows after this one edit the original lines.
    editor.edit(number, end, end + 1, "")
    editor.edit(line, len(it.lines[line]), column, "", row)
    editor.quiet(0.1)
    return {
        "burst, completion p95": p95(times),
        "burst -> findings": (told.at - sent) * 1000,
        "burst, CPU": spent * 1000,
    }


def p95(times: list[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.95) - 1)]


def _keys() -> Iterator[str]:
    for option in ("max_tokens: 8000", "max_tool_calls: 25", "max_duration_ms: 30000"):
        yield "\n" + _INDENT
        yield from option


def _some(lines: list[int], count: int) -> list[int]:
    """Return so many lines around the middle of a file, some of them several times if there are fewer."""
    middle = lines[max(0, len(lines) // 2 - count // 2) :][:count]
    return [*itertools.islice(itertools.cycle(random.Random(1).sample(middle, len(middle))), count)]
