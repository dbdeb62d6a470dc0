"""A server for a workspace of somebody else's: opening, hovering and asking for lenses never runs anything."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.forked import SERVER
from tests.hostility.bait import CANARY, Victim
from tests.server.conftest import make_client
from tests.slow import first_quick

TRAPS = """\
- type: program
  name: program
  config: {command: touch, args: ['MADE']}
- type: code
  name: code
  config: {assertions: ["re.enum.sys.modules['os'].mkdir('MADE')"]}
- type: text
  name: text
  config: {contains: ['[click](command:workbench.action.terminal.sendSequence)', '![x](http://127.0.0.1/x.png)']}
"""


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]  # the library gives it no types
    config=ClientServerConfig(
        server_command=SERVER,
        server_env={**os.environ, "OPENAI_API_KEY": CANARY},
        client_factory=make_client,
    )
)
async def client(lsp_client: LanguageClient, victim: Victim) -> AsyncIterator[None]:
    """A client that says: this workspace is not trusted."""
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual_studio_code"),
            root_uri=victim.workspace.as_uri(),
            workspace_folders=[types.WorkspaceFolder(victim.workspace.as_uri(), "workspace")],
            initialization_options={"trusted": False, "runEvents": True},
        )
    )
    yield
    await lsp_client.shutdown_session()


def trapped(victim: Victim) -> Path:
    """The path that only something which ran could have made."""
    made = victim.workspace / "made"
    hook = f"hooks:\n  before_run: [{{command: touch {made}}}]\n"
    victim.write_suite(graders=TRAPS.replace("MADE", str(made)), eval_keys=hook)
    return made


def open_in(client: LanguageClient, path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(path.as_uri(), "yaml", 1, text))
    )
    return path.as_uri()


@pytest.mark.slow
@pytest.mark.asyncio
async def test_everything_an_editor_asks_runs_nothing(client: LanguageClient, victim: Victim) -> None:
    made = trapped(victim)
    task = victim.workspace / "tasks" / "one.yaml"
    text = task.read_text(encoding="utf-8")
    for path in (victim.eval_file, task):
        document = types.TextDocumentIdentifier(open_in(client, path))
        lines = len(path.read_text(encoding="utf-8").splitlines())
        await client.text_document_code_lens_async(types.CodeLensParams(document))
        await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        await client.text_document_document_link_async(types.DocumentLinkParams(document))
        for line in range(lines):
            place = types.Position(line, 6)
            hover = await client.text_document_hover_async(types.HoverParams(document, place))
            assert hover is None or "](command:" not in str(hover.contents)
            await client.text_document_completion_async(types.CompletionParams(document, place))
            await client.text_document_code_action_async(
                types.CodeActionParams(document, types.Range(place, place), types.CodeActionContext([]))
            )
    change = types.TextDocumentContentChangeWholeDocument(text + "# edited\n")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, task.as_uri()), [change])
    )
    await asyncio.sleep(1)
    assert not made.exists()
    assert victim.is_unharmed()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "argument"),
    first_quick(
        [
            ("waza.runTask", {"task": "one"}),
            ("waza.runEval", {}),
            ("waza.runFailed", {}),
            ("waza.grade", {}),
            ("waza.grade", {"task": "one", "grader": "program"}),
        ],
        2,
    ),
)
async def test_run_commands_are_refused(
    command: str, argument: dict[str, str], client: LanguageClient, victim: Victim
) -> None:
    made = trapped(victim)
    uri = open_in(client, victim.eval_file)
    params = types.ExecuteCommandParams(command, [{"uri": uri, **argument}])
    assert await client.workspace_execute_command_async(params) is None
    assert "not trusted" in client.messages[-1].message
    assert not made.exists()


@pytest.mark.asyncio
async def test_schemas_are_exported_because_the_user_asks(client: LanguageClient, victim: Victim) -> None:
    answer = await exported(client)
    assert answer["count"] > 10
    assert (victim.workspace / "schemas" / "eval.schema.json").is_file()


@pytest.mark.asyncio
@pytest.mark.parametrize("trap", first_quick(["folder", "folder below", "file", "new file", "pipe"], 2))
async def test_schemas_are_not_written_where_links_and_pipes_lead(
    trap: str, client: LanguageClient, victim: Victim
) -> None:
    schemas, outside = victim.workspace / "schemas", victim.outside.parent
    (victim.workspace if trap == "folder" else schemas).mkdir(exist_ok=True)
    match trap:
        case "folder":
            schemas.symlink_to(outside)
        case "folder below":
            (schemas / "graders").symlink_to(outside)
        case "file":
            (schemas / "eval.schema.json").symlink_to(victim.outside)
        case "new file":
            (schemas / "task.schema.json").symlink_to(outside / "new")
        case _:
            os.mkfifo(schemas / "eval.schema.json")
    before = sorted(schemas.iterdir())
    assert await exported(client) is None
    assert "The schemas cannot be written" in client.messages[-1].message
    assert victim.is_unharmed()
    assert sorted(schemas.iterdir()) == before


async def exported(client: LanguageClient, directory: str = "schemas") -> Any:
    params = types.ExecuteCommandParams("waza.exportSchemas", [{"directory": directory}])
    return await asyncio.wait_for(client.workspace_execute_command_async(params), 30)


@pytest.mark.asyncio
@pytest.mark.parametrize("run_id", first_quick(["../../outside/secret.txt", "x' OR 1=1 --", "last\x00"]))
async def test_a_report_of_no_run_is_an_error(run_id: str, client: LanguageClient, victim: Victim) -> None:
    open_in(client, victim.eval_file)
    params = types.ExecuteCommandParams("waza.showReport", [{"runId": run_id}])
    try:
        answer = str(await client.workspace_execute_command_async(params))
    except Exception as error:  # noqa: BLE001  # the client raises what the server answered
        answer = str(error)
    assert CANARY not in answer
    assert "Traceback" not in answer
