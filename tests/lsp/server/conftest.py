"""A real server over stdio, as an editor starts it."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A copy of an example suite, in a workspace of its own."""
    folder = tmp_path / "examples" / "code-explainer"
    shutil.copytree(EXAMPLES / "code-explainer", folder)
    return folder


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]  # the library gives it no types
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(
        server_command=[sys.executable, "-P", "-m", "waza_lsp", "serve"], server_env=dict(os.environ)
    ),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path
) -> AsyncIterator[None]:
    """A client with the abilities of a real editor, its workspace in `tmp_path`."""
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=tmp_path.as_uri(),
            workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "workspace")],
            initialization_options={"runEvents": True},
        )
    )
    yield
    await lsp_client.shutdown_session()


class Opener(Protocol):
    def __call__(self, path: Path, text: str | None = None) -> str: ...


@pytest.fixture
def opened(client: LanguageClient) -> Opener:
    """Opens a file in the client, with its own or another text; gives its URI."""

    def open_file(path: Path, text: str | None = None) -> str:
        source = path.read_text(encoding="utf-8") if text is None else text
        item = types.TextDocumentItem(path.as_uri(), "yaml", 1, source)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return path.as_uri()

    return open_file
