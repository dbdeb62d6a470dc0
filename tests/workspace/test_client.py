"""Reading an editor's support for workspace edits."""

from lsprotocol import types
from pytest_lsp import client_capabilities

from waza_lsp.workspace.client import Client


def test_what_editors_say() -> None:
    assert Client.of(client_capabilities("visual_studio_code")) == Client()
    # It names operations on files, but not the document changes that they come in.
    assert Client.of(client_capabilities("neovim")) == Client()
    assert Client.of(client_capabilities("emacs")) == Client(create_files=False, rename_files=False)


def test_an_editor_that_says_nothing_gets_plain_edits() -> None:
    assert Client.of(types.ClientCapabilities()) == Client(False, False, False)
