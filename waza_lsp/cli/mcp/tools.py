"""The tools for agents: their names, titles, descriptions and arguments. The one source for MCP and for VS Code's chat.

A function here is one tool: its docstring is what the agent reads, its parameters are the arguments. None needs the
package `mcp`. What a tool is made of is imported with its first call: agents wait for the start of the server, and some
give one up that needs ten seconds on a busy machine.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from waza_engine.model.findings import Severity
from waza_lsp.cli.mcp.folder import Folder, ToolRefusedError

File = Annotated[str, Field(description="Path of an eval file, relative to the workspace folder.")]
Paths = Annotated[
    list[str], Field(description="Files or folders, relative to the workspace folder.", max_length=1000)
]
Line = Annotated[int, Field(ge=1, description="Line, from 1.")]
Column = Annotated[int, Field(ge=1, description="Column, from 1.")]
Level = Literal["error", "warning", "information", "hint"]


class Effect(StrEnum):
    """What a tool can do besides reading."""

    READS = "reads"
    WRITES = "writes"
    RUNS = "runs"


@dataclass(frozen=True)
class Tool:
    """One tool."""

    title: str
    function: Callable[..., Any]
    effect: Effect = Effect.READS

    @property
    def name(self) -> str:
        """The name that the agent calls."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """What the agent reads about the tool."""
        return inspect.getdoc(self.function) or ""

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model of the arguments."""
        fields: dict[str, Any] = {
            name: (it.annotation, ... if it.default is it.empty else it.default)
            for name, it in inspect.signature(self.function).parameters.items()
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        schema = self.arguments.model_json_schema()
        properties = {
            name: {key: it for key, it in data.items() if key != "title"}
            for name, data in schema.get("properties", {}).items()
        }
        required = {"required": schema["required"]} if "required" in schema else {}
        return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def tool_descriptions() -> list[Tool]:
    """Return the tools that a server offers by default: to read their names, descriptions and schemas."""
    return list(tools(Folder(Path())))


def tools(folder: Folder) -> Iterator[Tool]:
    """Yield the tools for one folder. `run` exists only if the folder's user allows runs."""
    yield from _authoring(folder)
    yield from _recorded(folder)
    if folder.may_run:
        yield _run(folder)


def _authoring(folder: Folder) -> Iterator[Tool]:
    def check(
        paths: Paths = ["."],  # noqa: B006  # never changed; the schema shows it
        level: Annotated[Level, Field(description="The least severity to report.")] = "information",
    ) -> str:
        """Find mistakes in eval, task, trigger, project and experiment files.

        Such as misspelt options, wrong values and checks that can never fail. Lists each finding with its place and the
        titles of its fixes.
        """
        from waza_lsp.cli.mcp.authoring import check

        return check(folder, paths, Severity(level))

    def explain(
        name: Annotated[
            str, Field(description="A finding's code or a grader type. Empty with a place.")
        ] = "",
        path: Annotated[str, Field(description="With line and column: explain the key or value there.")] = "",
        line: Line = 1,
        column: Column = 1,
    ) -> str:
        """Explain a finding's code, a grader type, or the key or value at a place of a file.

        Examples of names: "unknown-key", "tool_calls". The page of a grader type has its options and an example.
        """
        if bool(name) == bool(path):
            raise ToolRefusedError("Give either a name, or a path with line and column.")
        from waza_lsp.cli.mcp.authoring import explain_page, explain_place

        return explain_page(name) if name else explain_place(folder, path, line, column)

    def complete(path: File, line: Line, column: Column) -> str:
        """List what fits at a place of a file: missing keys, values, grader types, names and files."""
        from waza_lsp.cli.mcp.authoring import complete

        return complete(folder, path, line, column)

    def fix(
        paths: Paths,
        apply: Annotated[bool, Field(description="Change the files. Only if the server may write.")] = False,
    ) -> str:
        """Return the safe fixes of all findings as a patch. A safe fix never makes a check weaker."""
        from waza_lsp.cli.mcp.authoring import fix

        return fix(folder, paths, apply=apply)

    yield Tool("Check eval files", check)
    yield Tool("Explain a finding, grader or key", explain)
    yield Tool("Complete at a place", complete)
    yield Tool("Fix eval files", fix, Effect.WRITES if folder.may_write else Effect.READS)


def _recorded(folder: Folder) -> Iterator[Tool]:
    def draft_graders(path: File, task: Annotated[str, Field(description="The task's id or name.")]) -> str:
        """Draft graders for a task from its recorded run. Each draft passes on all recordings of that run."""
        from waza_lsp.cli.mcp.recorded import draft_graders

        return draft_graders(folder, path, task)

    def grade_last(
        path: File,
        tasks: Annotated[list[str], Field(description="Globs for task names. Empty: all tasks.")] = [],  # noqa: B006
    ) -> str:
        """Grade the last recorded run of an eval with its graders as they are now. No agent runs.

        Without --allow-run, graders that start programs or ask a model are left out.
        """
        from waza_lsp.cli.mcp.recorded import grade_last

        return grade_last(folder, path, tasks)

    def audit(
        paths: Paths = ["."],  # noqa: B006  # never changed; the schema shows it
        tasks: Annotated[list[str], Field(description="Globs for task names. Empty: all tasks.")] = [],  # noqa: B006
    ) -> str:
        """Find checks that pass on broken work: is this eval any good? No agent and no program runs.

        Grades agents that do no work (silence, "Done.", the prompt repeated ...) and broken copies of recorded trials with the
        graders as they are now. Names each task that lets them pass, with the difference that no grader notices.
        """
        from waza_lsp.cli.mcp.audited import audit

        return audit(folder, paths, tasks)

    def runs(
        path: Annotated[str, Field(description="An eval file. Empty: all evals.")] = "",
        limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of runs.")] = 10,
    ) -> str:
        """List recorded runs, newest first: id, time, verdict, score, agent."""
        from waza_lsp.cli.mcp.recorded import runs

        return runs(folder, path, limit)

    def compare(
        names: Annotated[
            list[str], Field(min_length=2, max_length=10, description='Run ids, "last", or results files.')
        ],
    ) -> str:
        """Compare runs task by task. Differences are the last run minus the first."""
        from waza_lsp.cli.mcp.recorded import compare

        return compare(folder, names)

    yield Tool("Draft graders from a run", draft_graders)
    yield Tool("Grade the last run again", grade_last)
    yield Tool("Audit evals", audit)
    yield Tool("List runs", runs)
    yield Tool("Compare runs", compare)


def _run(folder: Folder) -> Tool:
    async def run(
        path: File,
        tasks: Annotated[list[str], Field(description="Globs for task names. Empty: all tasks.")] = [],  # noqa: B006
        executor: Annotated[
            str, Field(description='Instead of the eval\'s, such as "mock" or "replay".')
        ] = "",
    ) -> str:
        """Run an eval and grade the agent. This starts the agent and the programs that the eval names, and may cost money."""
        from waza_lsp.cli.mcp.running import run_eval

        return await run_eval(folder, path, tasks, executor)

    return Tool("Run an eval", run, Effect.RUNS)
