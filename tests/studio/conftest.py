"""A studio in this process, and the client of a browser that has opened its address."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from waza_lsp.studio.app import studio_app
from waza_lsp.studio.session import StudioSession

PORT = 8123
ORIGIN = f"http://127.0.0.1:{PORT}"
SOCKET = f"ws://127.0.0.1:{PORT}/lsp"


@pytest.fixture
def session(tmp_path: Path) -> StudioSession:
    folder = tmp_path / "evals"
    folder.mkdir()
    (folder / "eval.yaml").write_text(
        "name: a\nskill: b\nconfig: {executor: mock}\ntasks:\n  - id: one\n    inputs: {prompt: Hi}\n",
        "utf-8",
    )
    return StudioSession(folder, PORT)


@pytest.fixture
def stranger(session: StudioSession) -> Iterator[TestClient]:
    """A client without the cookie."""
    with TestClient(studio_app(session), base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture
def browser(session: StudioSession, stranger: TestClient) -> TestClient:
    """A client that has opened the printed address."""
    address = session.new_address()
    assert stranger.get(address).status_code == 303
    stranger.headers["origin"] = ORIGIN
    return stranger
