"""The command that runs a runnable, as lenses and code actions offer it."""

from lsprotocol import types

from waza_lsp.schema.runnables import Runnable


def run_command(runnable: Runnable) -> types.Command | None:
    match runnable.kind:
        case "eval":
            return types.Command("▶ Run all", "waza.runEval", arguments=[{"uri": runnable.uri}])
        case "task":
            arguments = [{"uri": runnable.uri, "task": runnable.id}]
            return types.Command("▶ Run task", "waza.runTask", arguments=arguments)
        case _:
            return None
