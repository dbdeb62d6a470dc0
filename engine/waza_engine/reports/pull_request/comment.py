"""The comment on a pull request, as Markdown.

Names, messages and paths are other people's text. They only stand in code, inline, in blocks or between tags: there, GitHub and GitLab
make neither mentions nor links nor HTML of them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from waza_engine.audit.score import score_text
from waza_engine.lib.plurals import counted
from waza_engine.reports.inert import inert, one_line, visible
from waza_engine.reports.pull_request.summary import (
    NO_EARLIER_SCORE,
    AuditSummary,
    Compared,
    EvalSummary,
    Summary,
    TaskSummary,
)

MOST_CHARACTERS = 65_536
"""GitHub refuses longer comments."""
_WORDS = {"passed": "✅ passed", "failed": "❌ failed", "error": "⚠️ not everything could be judged"}
_SIGNS = {"passed": "✅", "failed": "❌", "error": "⚠️", "skipped": "⏭️", "cancelled": "⏹️"}
_BACKTICKS = re.compile("`+")
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_MOST_LINES, _MOST_NAMES = 30, 10
_LEFT_OUT = "The rest does not fit into a comment. The artifact of the workflow has everything."


def is_key(text: str) -> bool:
    """Return whether a text can tell the comments of several workflows apart."""
    return _KEY.fullmatch(text) is not None and "--" not in text


def marker(key: str) -> str:
    """Return the hidden first line by which a later run finds its comment."""
    return f"<!-- waza-lsp:{key} -->"


def comment_markdown(summary: Summary, key: str = "", link: str = "") -> str:
    """Return the comment, at most `MOST_CHARACTERS` long. `link` is the address of the uploaded reports."""
    text = f"{marker(key)}\n" if key else ""
    # Bytes are never fewer than characters, however these are counted.
    left = MOST_CHARACTERS - len(text) - len(_LEFT_OUT) - 2
    for block in _blocks(summary, link):
        left -= len(block.encode("utf-8", "replace")) + 1
        if left < 0:
            return f"{text}\n{_LEFT_OUT}\n"
        text += f"{block}\n"
    return text


def _blocks(summary: Summary, link: str) -> Iterator[str]:
    """Yield the parts of the comment, the most important ones first. None is cut in two."""
    yield f"## waza-lsp: {_WORDS[summary.status]}\n"
    yield f"{_headline(summary)}\n"
    if link:
        yield f"[Traces and reports of this run]({link})\n"
    for problem in summary.problems[:_MOST_LINES]:
        yield f"- ⚠️ {code(problem)}"
    for it in summary.evals:
        yield from _eval_lines(it)
    yield from _failures(summary)
    yield from _findings(summary)
    yield from _audits(summary.audits)
    if summary.removed:
        yield f"\nRemoved evals: {_names(summary.removed)}"


def _headline(summary: Summary) -> str:
    """Return the numbers: `2 skills changed, 3 of 41 evals run, 0.4 M tokens`, and what was compared with."""
    parts = [f"{counted(summary.skill_count, 'skill')} changed"] if summary.skill_count else []
    parts.append(f"{summary.run_count} of {counted(summary.eval_count, 'eval')} run")
    if summary.tokens:
        parts.append(f"{_tokens(summary.tokens)} tokens")
    line = ", ".join(parts)
    base = code(summary.base) if summary.base else "the base branch"
    if any(it.compared.before is not None for it in summary.evals):
        at = f" at {code(summary.base_commit[:8])}" if summary.base_commit else ""
        return f"{line}. Compared with {base}{at}."
    if summary.base and summary.evals:
        return f"{line}. There are no runs of {base} to compare with."
    return f"{line}."


def _tokens(count: int) -> str:
    if count >= 100_000:
        return f"{count / 1e6:.1f} M"
    return f"{count / 1e3:.1f} k" if count >= 1000 else str(count)


def _eval_lines(it: EvalSummary) -> Iterator[str]:
    how = " (recordings graded)" if it.is_replayed else ""
    sign = _SIGNS["error" if it.is_undecided else it.status]
    yield f"\n**{sign}** {code(it.name or it.path)}{_compared(it.compared, 'no earlier run')}{how}"
    about = [
        *([code(it.path)] if it.path else []),
        *([f"changed: {', '.join(map(code, it.reasons))}"] if it.reasons else []),
    ]
    yield f"{', '.join(about)}\n" if about else ""
    if it.verdict and (it.status != "passed" or any(task.status != "passed" for task in it.tasks)):
        yield f"> {code(it.verdict)}\n"
    has_base = it.compared.before is not None
    shown = sorted((task for task in it.tasks if _is_news(task, has_base=has_base)), key=_order)
    for task in shown[:_MOST_LINES]:
        yield f"- {_SIGNS[task.status]} {code(task.name)}{_compared(task.compared, 'new task' if has_base else '')}"
    if len(shown) > _MOST_LINES:
        yield f"- and {len(shown) - _MOST_LINES} more"
    same = len(it.tasks) - len(shown)
    if same:
        yield f"- {counted(same, 'other task' if shown else 'task')} passed{', with the same scores' * has_base}"


def _is_news(task: TaskSummary, *, has_base: bool) -> bool:
    """Whether a task has a line of its own: it did not pass, or is new or different where there is a base."""
    return task.status != "passed" or (has_base and task.compared.before != task.compared.now)


def _order(task: TaskSummary) -> tuple[bool, float]:
    """Sort what got worse first, after what did not pass."""
    before, now = task.compared.before, task.compared.now
    return task.status == "passed", (now or 0.0) - (before if before is not None else now or 0.0)


def _compared(compared: Compared, alone: str) -> str:
    """Return ` 0.50 -> 0.75 (n = 6, no difference shown)`."""
    now = f"{compared.now:.2f}" if compared.now is not None else "not judged"
    if compared.before is None:
        alone = NO_EARLIER_SCORE if compared.word == NO_EARLIER_SCORE else alone
        return f" {now} (n = {compared.n}{f', {alone}' * bool(alone)})" if compared.n else f" {now}"
    count = str(compared.n)
    if compared.n_before not in {0, compared.n}:
        count = f"{compared.n_before} and {compared.n}"
    word = f", {compared.word}" if compared.word in _VERDICTS else ""
    return f" {compared.before:.2f} -> {now} (n = {count}{word})"


_VERDICTS = frozenset(["better", "worse", "no difference shown", "cannot be shown with this many"])


def _failures(summary: Summary) -> Iterator[str]:
    failing = [(it, task) for it in summary.evals for task in it.tasks if task.failures]
    for number, (it, task) in enumerate(failing[:_MOST_LINES]):
        # Markdown leaves markup alone, so the name is escaped as in a page.
        name = f"<code>{escape(one_line(task.name) or '?')}</code>"
        begin = f"<details{' open' * (number == 0)}><summary>{_SIGNS[task.status]} {name}</summary>"
        yield f"\n{begin}\n\n{code(it.path or it.name)}\n\n{fenced(task.failures)}\n\n</details>"
    if len(failing) > _MOST_LINES:
        yield f"\nand {counted(len(failing) - _MOST_LINES, 'more task')} that did not pass"


def _findings(summary: Summary) -> Iterator[str]:
    if not summary.error_count and not summary.warning_count:
        return
    counts = [
        counted(count, word)
        for count, word in ((summary.error_count, "error"), (summary.warning_count, "warning"))
        if count
    ]
    yield f"\n**Check:** {', '.join(counts)}\n"
    for it in summary.findings[:_MOST_LINES]:
        yield f"- {code(f'{it.path}:{it.line}')} {it.level} {code(it.code)}: {code(it.message)}"
    total = summary.error_count + summary.warning_count
    if total > min(len(summary.findings), _MOST_LINES):
        yield f"- and {total - min(len(summary.findings), _MOST_LINES)} more"


def _audits(audits: Sequence[AuditSummary]) -> Iterator[str]:
    if not audits:
        return
    yield "\n**Audit:** would the graders notice broken work?\n"
    for it in audits[:_MOST_LINES]:
        score = "no recorded work to break" if it.score is None else f"mutation score {score_text(it.score)}"
        survivors = f", {counted(it.survivors, 'mutant')} not noticed" if it.survivors else ""
        passing = f", passes without work: {_names(it.passing)}" if it.passing else ""
        yield f"- {code(it.path)}: {score}{survivors}{passing}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(code, names[:_MOST_NAMES])) + more


def code(text: str) -> str:
    """Return a text as inline code on one line, which nothing in it can end."""
    shown = one_line(text) or " "
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(lines: Iterable[str]) -> str:
    """Return lines as a block of code, whose fence is longer than any in the text."""
    text = inert(visible("\n".join(lines)))
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}text\n{text}\n{fence}"
