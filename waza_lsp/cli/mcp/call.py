"""Call one tool without a client of the protocol: `waza-lsp mcp --call NAME`, with the arguments as JSON on standard input."""

import asyncio
import inspect

from pydantic import ValidationError

from waza_engine.reports.inert import harmless
from waza_lsp.cli.mcp.folder import Folder, ToolRefusedError
from waza_lsp.cli.mcp.tools import tools


def call_tool(folder: Folder, name: str, text: bytes) -> str:
    """Return what a tool answers.

    Raises:
        ToolRefusedError: there is no such tool, the arguments are wrong, or the tool refuses.

    """
    known = {it.name: it for it in tools(folder)}
    tool = known.get(name)
    if tool is None:
        raise ToolRefusedError(f"No tool {name!r}. The tools are {', '.join(known)}.")
    try:
        arguments = tool.arguments.model_validate_json(text or b"{}")
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, it['loc'])) or 'arguments'}: {it['msg']}" for it in error.errors())
        raise ToolRefusedError(harmless(f"Wrong arguments of {name!r}. {'; '.join(problems)}")) from error
    values = {field: getattr(arguments, field) for field in type(arguments).model_fields}
    answer = tool.function(**values)
    return str(asyncio.run(answer) if inspect.iscoroutine(answer) else answer)
