"""Draw the README's moving picture of live grading from a session with the real server.

`python -m tests.live_picture` writes `docs/images/live-grading.svg`. Verdicts, messages and lenses are what the server sends.
"""

import asyncio
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lsprotocol import types

from tests.editors.workspaces import copy_of_example
from tests.server.results_harness import Editor, editor

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "live-grading.svg"
_TASK = """\
id: explain-retry
name: Explain the retry helper
inputs:
  prompt: |
    Explain what retry.py does to a colleague who knows Python but has never written a retry loop.
    What happens when the last attempt fails as well?
  files: [{path: retry.py}]
graders:
  - name: names-the-ideas
    type: text
    config:
      contains: [jitter]
  - name: not-too-long
    type: code
    config:
      assertions: ["len(output.split()) <= 350"]
"""
_TYPED = (
    "jitter, e]",
    "jitter, exp]",
    "jitter, exponen]",
    "jitter, exponential]",
    "jitter, exponential back-off]",
)
_MENDED = ("jitter, exponential back-]", "jitter, exponential back]", "jitter, exponential backoff]")
_SEPARATOR = " | "
_TYPING, _READING, _LAST = 0.25, 4.0, 4.0
"""Seconds that a frame is shown."""


@dataclass(frozen=True)
class Frame:
    """A state of the editor, shown for some seconds."""

    text: str
    lens: str
    marks: tuple[tuple[int, int, int], ...]
    """Line, first and last column of each failed check."""
    problems: tuple[str, ...]
    caption: str
    seconds: float


async def frames() -> list[Frame]:
    """Return the frames of a session: a run, a grader that fails the recorded answer, and one that passes it."""
    with tempfile.TemporaryDirectory() as folder:
        suite = copy_of_example(Path(folder))
        task = suite / "tasks" / "explain-retry.yaml"
        task.write_text(_TASK, encoding="utf-8")
        async with editor(suite, profile="visual_studio_code") as it:
            it.open(task)
            await it.execute("waza.runTask", uri=it.uri, task="explain-retry")
            await it.lenses_with("tokens")
            shown = [await _frame(it, "A recorded run, graded.", _READING / 2)]
            shown += await _typed(it, _TYPED, "Add a check. No agent runs.")
            await it.says("failed-check", "back-off")
            shown.append(await _frame(it, "The recorded answer is graded at once.", _READING))
            shown += await _typed(it, _MENDED, "Change the check.")
            await it.lenses_with("✓ live")
            shown.append(await _frame(it, "It passes.", _LAST))
            return shown


async def _typed(it: Editor, states: tuple[str, ...], caption: str) -> list[Frame]:
    """Type a text step by step, faster than verdicts come."""
    found = []
    lens = _SEPARATOR.join(await it.lenses())
    for before, after in zip((_current(it), *states), states, strict=False):
        if before != after:
            it.replace(f"[{before}", f"[{after}")
        found.append(Frame(it.text, lens, (), (), caption, _TYPING))
    return found


def _current(it: Editor) -> str:
    return it.text.partition("contains: [")[2].partition("\n")[0]


async def _frame(it: Editor, caption: str, seconds: float) -> Frame:
    published = [params for _, params in it.published if params.uri == it.uri]
    failed = [one for one in published[-1].diagnostics if one.code == "failed-check"] if published else []
    return Frame(
        it.text,
        _SEPARATOR.join(await it.lenses()),
        tuple(_place(one.range) for one in failed),
        tuple(one.message for one in failed),
        caption,
        seconds,
    )


def _place(span: types.Range) -> tuple[int, int, int]:
    return span.start.line, span.start.character, span.end.character


_STYLE = """\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}
.page{fill:#fff;stroke:#d1d9e0}.bar{fill:#f6f8fa}.key{fill:#0550ae}.number,.lens{fill:#656d76}.lens,.problem{font-size:12px}
.passed{fill:#1a7f37}.failed{fill:#cf222e}.wave{fill:none;stroke:#cf222e;stroke-width:1.3}.caption{font-weight:600}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117;stroke:#3d444d}.bar{fill:#151b23}.key{fill:#79c0ff}
.number,.lens{fill:#9198a1}.passed{fill:#3fb950}.failed{fill:#ff7b72}.wave{stroke:#ff7b72}}
.frame{visibility:hidden}.still{visibility:visible}
@media(prefers-reduced-motion:no-preference){.frame{animation-duration:LENGTHs;animation-timing-function:step-end;animation-iteration-count:infinite}}
"""
_LEFT, _TOP, _LINE, _LETTER, _WIDTH = 52, 52, 20, 7.83, 880
_LETTERS = 112
"""The most letters of a message."""
_KEY = re.compile(r"^(\s*(?:- )?)([\w]+)(:.*)$")


def drawing(shown: list[Frame]) -> str:
    """Return the SVG. Without animation it shows the failed check."""
    lines = shown[0].text.splitlines()
    changing = {at for it in shown for at, line in enumerate(it.text.splitlines()) if line != lines[at]}
    height = _TOP + _LINE * len(lines) + 70
    length = sum(it.seconds for it in shown)
    still = next(at for at, it in enumerate(shown) if it.problems)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img">',
        "<title>A grader is edited; its recorded run is graded again after each edit</title>",
        f"<style>{_STYLE.replace('LENGTH', f'{length:g}')}{_keyframes(shown, length)}</style>",
        f'<rect class="page" x=".5" y=".5" width="{_WIDTH - 1}" height="{height - 1}" rx="8"/>',
        f'<rect class="bar" x="1" y="{height - 61}" width="{_WIDTH - 2}" height="60" rx="8"/>',
    ]
    parts += [_line(at, line) for at, line in enumerate(lines) if at not in changing]
    for at, frame in enumerate(shown):
        parts.append(f'<g class="frame{" still" if at == still else ""}" style="animation-name:f{at}">')
        parts += _frame_parts(frame, changing, height)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _keyframes(shown: list[Frame], length: float) -> str:
    rules, start = [], 0.0
    for at, frame in enumerate(shown):
        end = start + frame.seconds
        first, last = 100 * start / length, 100 * end / length
        before = "" if at == 0 else "0%{visibility:hidden}"
        rules.append(
            f"@keyframes f{at}{{{before}{first:.2f}%{{visibility:visible}}{last:.2f}%{{visibility:hidden}}}}"
        )
        start = end
    return "\n".join(rules)


def _frame_parts(frame: Frame, changing: set[int], height: int) -> Iterator[str]:
    lines = frame.text.splitlines()
    kind = "failed" if "✗" in frame.lens else "passed"
    *actions, verdict = frame.lens.split(_SEPARATOR)
    yield (
        f'<text class="lens" x="{_LEFT}" y="{_TOP - 22}">{escape(_SEPARATOR.join([*actions, ""]))}'
        f'<tspan class="{kind}">{escape(verdict)}</tspan></text>'
    )
    yield from (_line(at, lines[at]) for at in sorted(changing))
    for line, first, last in frame.marks:
        yield _wave(_LEFT + first * _LETTER, _LEFT + last * _LETTER, _TOP + line * _LINE + 4)
    yield f'<text class="caption" x="16" y="{height - 36}">{escape(frame.caption)}</text>'
    for it in (shorten(it) for it in frame.problems[:1]):
        yield f'<text class="problem failed" x="16" y="{height - 14}">{escape(f"✗ {it}")}</text>'


def shorten(text: str) -> str:
    """Cut a message that is wider than the picture."""
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


def _line(at: int, line: str) -> str:
    y = _TOP + at * _LINE
    found = _KEY.match(line)
    text = escape(line)
    if found:
        text = f'{escape(found[1])}<tspan class="key">{escape(found[2])}</tspan>{escape(found[3])}'
    number = f'<text class="number" x="{_LEFT - 16}" y="{y}" text-anchor="end">{at + 1}</text>'
    return f'{number}<text x="{_LEFT}" y="{y}" xml:space="preserve">{text}</text>'


def _wave(left: float, right: float, y: int) -> str:
    points = " ".join(f"{left + 3 * at:g},{y + (at % 2) * 3}" for at in range(int((right - left) / 3) + 1))
    return f'<polyline class="wave" points="{points}"/>'


if __name__ == "__main__":
    PICTURE.write_text(drawing(asyncio.run(frames())), encoding="utf-8")
