"""Recorded trials on which converted graders are compared, mutated so that each grader fails on one of them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.engine.convert.realistic_suites import Domain
from waza_engine.graders.base import GradingContext
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, Usage


def trials(domain: Domain, folder: Path) -> list[GradingContext]:
    """A good trial and its mutations. The workspaces are below `folder`."""
    workspace, bare = folder / "workspace", folder / "bare"
    for path in (*domain.files, "app/notes.md"):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(f"version 2.4.1\n{' '.join(domain.words)}\n", encoding="utf-8")
    bare.mkdir(exist_ok=True)
    (bare / "secrets.env").write_text("TODO\n", encoding="utf-8")
    good = _trial(domain, workspace)
    return [good, *_mutations(good, domain, bare)]


def _trial(domain: Domain, workspace: Path) -> GradingContext:
    output = f"Done: {', '.join(domain.words)}. No error was left. lock then release, id-17."
    calls = _calls([("view", {"path": domain.files[0]}), ("edit", {"path": domain.files[0]}), ("bash", {"command": domain.commands[0]}), ("bash", {"command": domain.commands[1]})])  # fmt: skip
    return GradingContext(
        output=output,
        transcript=_transcript(calls, output),
        session=_session(calls, 900),
        skills=[SkillInvocation(name=domain.skill)],
        duration_ms=1000,
        output_present=True,
        workspace_dir=workspace,
        process_dir=workspace,
        diff="diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+timeout lock\n",
    )


def _mutations(good: GradingContext, domain: Domain, bare: Path) -> Iterator[GradingContext]:
    yield replace(good, output="", transcript=[])
    yield _saying(good, "TODO\nerror: sorry, nothing")
    yield _saying(good, good.output.swapcase())
    for word in domain.words:
        yield _saying(good, good.output.replace(word, "..."))
    yield _with_calls(good, [])
    yield _with_calls(good, [("rm", {"command": "rm -rf /"})])
    yield _with_calls(good, [("web_fetch", {"url": "x"}), *[("bash", {"command": "ls"})] * 8])
    yield _with_calls(good, [(it, {}) for it in ("edit", "view", "grep", "create")])
    yield replace(good, skills=[])
    yield replace(good, skills=[SkillInvocation(name="other"), *good.skills])
    yield replace(good, session=_session(list(good.session.tool_calls) if good.session else [], 90_000))
    yield replace(good, duration_ms=600_000)
    yield replace(good, workspace_dir=bare)
    yield replace(good, diff="", transcript=[*good.transcript, {"type": "session.error", "message": "quota"}])


def _saying(good: GradingContext, output: str) -> GradingContext:
    calls = list(good.session.tool_calls) if good.session else []
    return replace(good, output=output, transcript=_transcript(calls, output))


def _with_calls(good: GradingContext, made: list[tuple[str, dict[str, Any]]]) -> GradingContext:
    calls = _calls(made)
    return replace(good, session=_session(calls, 900), transcript=_transcript(calls, good.output))


def _calls(made: list[tuple[str, dict[str, Any]]]) -> list[ToolCall]:
    return [
        ToolCall(id=str(at), name=name, arguments=given, success=True)
        for at, (name, given) in enumerate(made)
    ]


def _session(calls: list[ToolCall], tokens: int) -> Session:
    return Session(
        tool_call_count=len(calls),
        tools_used=[it.name for it in calls],
        tool_calls=calls,
        usage=Usage(input_tokens=tokens, output_tokens=100),
    )


def _transcript(calls: list[ToolCall], output: str) -> list[dict[str, Any]]:
    started = [{"type": "tool.execution_start", "tool_call_id": it.id, "tool_name": it.name, "arguments": it.arguments} for it in calls]  # fmt: skip
    ended = [{"type": "tool.execution_complete", "tool_call_id": it.id, "tool_result": "id-17", "success": True} for it in calls]  # fmt: skip
    turns = [
        {"type": "assistant.turn_start"},
        *(it for pair in zip(started, ended, strict=True) for it in pair),
    ]
    return [*turns, {"type": "assistant.message", "content": output}, {"type": "assistant.turn_end"}]
