"""Features that are left to another server."""

import pytest
from lsprotocol import types

from waza_engine.project.levels import unknown_code
from waza_lsp.server.build import build_session
from waza_lsp.server.coexistence import CODES, FEATURES, levels, own_items, read_beside, whole_requests
from waza_lsp.server.handlers.notifications import on_initialize
from waza_lsp.server.settings import read_settings


def test_every_code_exists() -> None:
    assert not [it for codes in CODES.values() for it in codes if unknown_code(it)]


@pytest.mark.parametrize("value", [None, "hover", 3, {"hover": True}, False, [["hover"]], [{}]])
def test_what_is_no_list_of_names_counts_as_empty(value: object) -> None:
    assert read_beside(value) == frozenset()


def test_unknown_names_are_passed_over_and_told() -> None:
    settings, problems = read_settings({"beside": ["hover", "nope"]})
    assert settings.beside == ("hover",)
    assert problems == [f"Setting waza.beside: unknown 'nope'. Known names: {', '.join(FEATURES)}"]
    settings, [problem] = read_settings({"beside": ["hover", ["nope"]]})
    assert settings.beside == ("hover",)
    assert "unknown ['nope']" in problem


def test_findings_that_are_left_out() -> None:
    assert levels({"diagnostics"}) == {"syntax-error": None, "duplicate-key": None}
    assert levels(frozenset()) == {}


def test_requests_that_are_left_out() -> None:
    assert whole_requests({"symbols", "hover"}) == [types.TEXT_DOCUMENT_DOCUMENT_SYMBOL]


def test_of_completion_paths_and_anchors_stay() -> None:
    kinds = types.CompletionItemKind
    items = [types.CompletionItem(it.name, kind=it) for it in (kinds.Property, kinds.File, kinds.Reference)]
    found = types.CompletionList(False, items)
    assert own_items(found, frozenset()) is found
    left = own_items(found, {"completion"})
    assert left is not None
    assert [it.label for it in left.items] == ["File", "Reference"]


def test_what_the_client_says_at_first_is_not_offered_at_all() -> None:
    session = build_session()
    session.client.protocol.client_capabilities = types.ClientCapabilities()
    params = types.InitializeParams(
        types.ClientCapabilities(), initialization_options={"beside": ["symbols", "folding", "hover"]}
    )
    on_initialize(session, params)
    assert session.configuration.beside == {"symbols", "folding", "hover"}
    offered = session.client.protocol.fm.features
    assert types.TEXT_DOCUMENT_DOCUMENT_SYMBOL not in offered
    assert types.TEXT_DOCUMENT_FOLDING_RANGE not in offered
    assert {types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_SELECTION_RANGE} <= offered.keys()


@pytest.mark.parametrize("dynamic", [True, False])
def test_formatting_is_offered_at_first_only_to_clients_that_cannot_be_told_later(dynamic: bool) -> None:
    session = build_session()
    able = types.DocumentFormattingClientCapabilities(dynamic_registration=dynamic)
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(formatting=able)
    )
    session.client.protocol.client_capabilities = capabilities
    on_initialize(session, types.InitializeParams(capabilities))
    assert (types.TEXT_DOCUMENT_FORMATTING in session.client.protocol.fm.features) is not dynamic
