"""A real server over stdio, started as by an editor."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from tests.forked import SERVER, keep_warm
from tests.slow import first_quick

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Copy an example suite into its own workspace."""
    folder = tmp_path / "examples" / "code-explainer"
    shutil.copytree(EXAMPLES / "code-explainer", folder)
    return folder


@pytest.fixture(autouse=True)
def _warm() -> None:
    # A test before this one may have ended it.
    keep_warm()


def make_client() -> LanguageClient:
    """A client that accepts all registrations and refreshes, as editors do. Its server is `SERVER`."""
    keep_warm()
    client = make_test_lsp_client()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _params: None)
    client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda _params: None)
    client.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda _params: None)
    return client


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]  # the library gives it no types
    params=first_quick(["visual_studio_code", "neovim", "emacs"]),
    config=ClientServerConfig(server_command=SERVER, server_env=dict(os.environ), client_factory=make_client),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path
) -> AsyncIterator[None]:
    """A client with the capabilities of a real editor and its workspace in `tmp_path`."""
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=tmp_path.as_uri(),
            workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "workspace")],
            initialization_options={"runEvents": True, "trusted": True},
        )
    )
    yield
    await lsp_client.shutdown_session()


one_editor = pytest.mark.parametrize("client", ["visual_studio_code"], indirect=True)
"""For tests of what is the same for all editors."""


async def findings(client: LanguageClient, uri: str) -> Sequence[types.Diagnostic] | None:
    """Return the diagnostics of a document, pulled or pushed, or None if there are none yet."""
    document = client.capabilities.text_document if client.capabilities else None
    if document is None or document.diagnostic is None:
        return client.diagnostics.get(uri)
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return report.items


async def until_found(client: LanguageClient, uri: str, count: int) -> Sequence[types.Diagnostic]:
    """Wait for `count` findings and return them."""
    async with asyncio.timeout(60):
        while True:
            found = await findings(client, uri)
            if found is not None and len(found) == count:
                return found
            await asyncio.sleep(0.01)


class Opener(Protocol):
    def __call__(self, path: Path, text: str | None = None) -> str: ...


@pytest.fixture
def opened(client: LanguageClient) -> Opener:
    """Open a file in the client, with its own or another text, and return its URI."""

    def open_file(path: Path, text: str | None = None) -> str:
        source = path.read_text(encoding="utf-8") if text is None else text
        item = types.TextDocumentItem(path.as_uri(), "yaml", 1, source)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return path.as_uri()

    return open_file
