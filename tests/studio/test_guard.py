"""Nobody but the person's own page gets an answer."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.studio.conftest import ORIGIN, PORT, SOCKET
from waza_lsp.studio.session import StudioSession

PATHS = [
    "/",
    "/assets/page.js",
    "/api/session",
    "/api/tree",
    "/api/file?path=eval.yaml",
    "/api/runs",
    "/none",
]


@pytest.mark.parametrize("path", PATHS)
def test_without_the_cookie_nothing_is_answered(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "Open the address that waza-lsp studio has printed" in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_the_address_opens_the_page_once(session: StudioSession, stranger: TestClient) -> None:
    address = session.new_address()
    assert stranger.get("/?token=wrong").status_code == 403
    assert stranger.get(f"{address}&token=more").status_code == 403
    first = stranger.get(address)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "SameSite=strict" in first.headers["set-cookie"]
    assert stranger.get("/").status_code == 200
    # A reload of the old address leads to the page, but gives nobody a cookie.
    again = stranger.get(address)
    assert again.status_code == 303
    assert "set-cookie" not in again.headers
    stranger.cookies.clear()
    assert stranger.get(address).status_code == 403


def test_a_new_address_replaces_an_unused_one(session: StudioSession, stranger: TestClient) -> None:
    old, new = session.new_address(), session.new_address()
    assert stranger.get(old).status_code == 403
    assert stranger.get(new).status_code == 303


def test_a_link_of_another_site_opens_the_page_without_a_redirect(
    session: StudioSession, stranger: TestClient
) -> None:
    # A browser would not send a strict cookie after a redirect that began elsewhere.
    answer = stranger.get(session.new_address(), headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert 'http-equiv="refresh"' in answer.text
    assert "set-cookie" in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1.evil.example:{PORT}",
        f"[::1]:{PORT}",
        "",
    ],
)
def test_a_foreign_host_gets_no_answer(browser: TestClient, session: StudioSession, host: str) -> None:
    """A name of the attacker may resolve to 127.0.0.1 (DNS rebinding)."""
    address = session.new_address().removeprefix(ORIGIN)
    for path in ("/api/session", address):
        answer = browser.get(path, headers={"host": host})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(SOCKET, headers={"host": host}):
        pass


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        f"https://127.0.0.1:{PORT}",
        f"http://localhost:{PORT}",
        "",
    ],
)
def test_a_foreign_origin_gets_no_answer(browser: TestClient, origin: str) -> None:
    headers = {"origin": origin}
    assert browser.get("/api/session", headers=headers).status_code == 403
    assert browser.post("/api/trust", json={}, headers=headers).status_code == 403
    assert browser.put("/api/file", json={}, headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(SOCKET, headers=headers):
        pass


def test_what_changes_something_needs_an_origin(browser: TestClient, session: StudioSession) -> None:
    del browser.headers["origin"]
    assert browser.get("/api/session").status_code == 200
    assert browser.post("/api/trust", json={}).status_code == 403
    assert browser.put("/api/file", json={}).status_code == 403
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(SOCKET):
        pass
    assert not session.is_trusted


def test_a_page_of_another_local_server_gets_no_answer(browser: TestClient) -> None:
    # Its cookies are those of this host, and a picture's request has no origin.
    del browser.headers["origin"]
    assert (
        browser.get("/api/audit?path=eval.yaml", headers={"sec-fetch-site": "same-site"}).status_code == 403
    )


def test_a_socket_needs_the_cookie(stranger: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), stranger.websocket_connect(SOCKET, headers={"origin": ORIGIN}):
        pass
    stranger.cookies.set(f"waza-studio-{PORT}", "guessed")
    with pytest.raises(WebSocketDisconnect), stranger.websocket_connect(SOCKET, headers={"origin": ORIGIN}):
        pass


def test_a_broken_cookie_is_no_cookie(stranger: TestClient) -> None:
    for value in (f"waza-studio-{PORT}=", f"waza-studio-{PORT}=\u00e9", "\x01=;;", f"waza-studio-{PORT}"):
        assert stranger.get("/", headers=[(b"cookie", value.encode("latin-1"))]).status_code == 403


def test_odd_cookies_of_other_local_servers_do_not_hide_ours(
    stranger: TestClient, session: StudioSession
) -> None:
    ours = f"waza-studio-{PORT}={session.secrets.cookie}"
    for line in (
        f'a={{"x": 1}}; {ours}',
        f"{ours}; a b=c d;;=; \u00e9=1",
        f'a="1;{ours}',
        f"waza-studio-{PORT}=x; {ours}",
    ):
        assert stranger.get("/", headers=[(b"cookie", line.encode("latin-1"))]).status_code == 200, line


def test_the_page_may_run_its_own_scripts_only(browser: TestClient) -> None:
    first, second = (browser.get("/").headers["content-security-policy"] for _ in range(2))
    assert "script-src 'self';" in first
    assert "frame-ancestors 'none'" in first
    assert "unsafe" not in first
    assert first != second, "the nonce of the styles is new each time"
