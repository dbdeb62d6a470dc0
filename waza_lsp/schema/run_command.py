"""The commands that run and grade what stands in a file, as lenses, code actions and the test view offer them."""

from typing import Any

from lsprotocol import types

from waza_lsp.schema.grader_sites import GraderSite
from waza_lsp.schema.runnables import Runnable


def run_command(runnable: Runnable) -> types.Command | None:
    match runnable.kind:
        case "eval":
            return types.Command("▶ Run all", "waza.runEval", arguments=[{"uri": runnable.uri}])
        case "task":
            arguments = [{"uri": runnable.uri, "task": runnable.id}]
            return types.Command("▶ Run task", "waza.runTask", arguments=arguments)
        case "experiment":
            return types.Command("▶ Run experiment", "waza.runEval", arguments=[{"uri": runnable.uri}])
        case "variant":
            arguments = [{"uri": runnable.uri, "task": runnable.id}]
            return types.Command("▶ Run variant", "waza.runTask", arguments=arguments)
        case _:
            return None


def grade_command(uri: str, site: GraderSite, task: str) -> types.Command:
    """Grades what was recorded of a task, or of all, with one grader only."""
    arguments: dict[str, Any] = {
        "uri": uri,
        "pointer": list(site.pointer),
        **({"grader": site.name} if site.name else {}),
        **({"task": task} if task else {}),
    }
    return types.Command(f"↻ Grade again with '{site.label}'", "waza.grade", arguments=[arguments])


def explain_command(uri: str, site: GraderSite) -> types.Command:
    """Says which recorded trials a grader fails."""
    title = f"Which recorded runs does '{site.label}' fail?"
    return types.Command(title, "waza.explainGrader", arguments=[{"uri": uri, "pointer": list(site.pointer)}])
