"""The page reads and writes the files of its folder, and no others."""

import json
import os
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from waza_lsp.studio.session import StudioSession

OUTSIDE = ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "//etc/passwd", "..", "."]
PATH_PARAMETERS = ["/api/file", "/api/runs", "/api/history", "/api/audit"]


@pytest.fixture
def folder(session: StudioSession) -> Path:
    (session.folder.parent / "secret.txt").write_text("secret", "utf-8")
    return session.folder


def _put(browser: TestClient, path: str, text: str, version: str = "") -> tuple[int, dict[str, str]]:
    answer = browser.put("/api/file", json={"path": path, "text": text, "version": version})
    return answer.status_code, answer.json()


def test_a_file_is_read_changed_and_created(browser: TestClient, folder: Path) -> None:
    text = "\ufeffname: é\r\ntasks: []\r\n"
    (folder / "crlf.yaml").write_bytes(text.encode())
    (folder / "crlf.yaml").chmod(0o640)
    found = browser.get("/api/file?path=crlf.yaml").json()
    assert (found["text"], found["eol"]) == (text, "\r\n")
    assert found["uri"] == (folder / "crlf.yaml").as_uri()
    status, answer = _put(browser, "crlf.yaml", text + "x: 1\r\n", found["version"])
    assert status == 200
    assert (folder / "crlf.yaml").read_bytes() == (text + "x: 1\r\n").encode()
    assert (folder / "crlf.yaml").stat().st_mode & 0o777 == 0o640
    assert answer["version"] == browser.get("/api/file?path=crlf.yaml").json()["version"]
    assert _put(browser, "new/task.yaml", "id: a\n")[0] == 200
    assert (folder / "new/task.yaml").read_text() == "id: a\n"
    assert not [it.name for it in folder.iterdir() if it.name.startswith(".")]


def test_a_file_that_changed_meanwhile_is_not_overwritten(browser: TestClient, folder: Path) -> None:
    version = browser.get("/api/file?path=eval.yaml").json()["version"]
    (folder / "eval.yaml").write_text("name: of another program\n", "utf-8")
    assert _put(browser, "eval.yaml", "mine", version) == (409, {"error": "'eval.yaml' has changed on disk."})
    assert _put(browser, "eval.yaml", "mine") == (409, {"error": "'eval.yaml' exists already."})
    # The same text is no conflict: a page that is loaded again may save what it has saved as it was left.
    assert _put(browser, "eval.yaml", "name: of another program\n", version)[0] == 200
    (folder / "eval.yaml").unlink()
    assert _put(browser, "eval.yaml", "mine", version) == (409, {"error": "'eval.yaml' was deleted."})
    assert not (folder / "eval.yaml").exists()


def test_a_page_that_is_left_may_save_over_its_own_write_but_over_no_other(
    browser: TestClient, folder: Path
) -> None:
    def leave(text: str, under_way: str, version: str) -> int:
        body = {"path": "eval.yaml", "text": text, "version": version, "under_way": under_way}
        headers = {"content-type": "application/json"}
        return browser.put("/api/file", content=json.dumps(body), headers=headers).status_code

    version = browser.get("/api/file?path=eval.yaml").json()["version"]
    assert _put(browser, "eval.yaml", "first", version)[0] == 200
    assert leave("last", "first", version) == 200
    assert (folder / "eval.yaml").read_text() == "last"
    # The write that was under way comes second: it is the older one.
    assert _put(browser, "eval.yaml", "first", version)[0] == 409
    (folder / "eval.yaml").write_text("name: of another program\n", "utf-8")
    assert leave("last", "first", version) == 409
    assert leave("last", "\ud800", version) == 409


@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_leave_the_folder_are_refused(browser: TestClient, folder: Path, path: str) -> None:
    for address in PATH_PARAMETERS:
        answer = browser.get(address, params={"path": path})
        assert answer.status_code in {403, 404}, address
        assert "secret" not in answer.text.replace("secret.txt", "")
    assert _put(browser, path, "mine")[0] in {403, 404}
    assert (folder.parent / "secret.txt").read_text() == "secret"


@pytest.mark.usefixtures("folder")
def test_paths_are_decoded_once(browser: TestClient) -> None:
    twice = quote(quote("../secret.txt", safe=""), safe="")
    assert browser.get(f"/api/file?path={twice}").status_code == 404
    assert browser.get("/api/file?path=..%2Fsecret.txt").status_code == 403
    for path in (
        "/assets/../index.html",
        "/assets/%2e%2e/index.html",
        "/assets/..%2f..%2fapp.py",
        "/assets//etc/passwd",
    ):
        assert browser.get(path).status_code == 404


@pytest.mark.parametrize("path", ["a\0b", "eval.yaml\0", "\ud800", "n" * 5_000])
def test_impossible_names_are_refused(browser: TestClient, path: str) -> None:
    body = b'{"path": "%b", "text": "", "version": ""}' % path.encode("unicode_escape").replace(
        b"\\x", b"\\u00"
    )
    answer = browser.put("/api/file", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in {400, 403}
    assert answer.json()["error"]


def test_links_lead_nowhere_outside(browser: TestClient, folder: Path) -> None:
    (folder / "out.yaml").symlink_to("../secret.txt")
    (folder / "up").symlink_to("..")
    (folder / "inside.yaml").symlink_to("eval.yaml")
    for path in ("out.yaml", "up/secret.txt", "up/new.txt"):
        assert browser.get("/api/file", params={"path": path}).status_code in {403, 404}
        assert _put(browser, path, "mine")[0] in {403, 409}
    assert (folder.parent / "secret.txt").read_text() == "secret"
    assert not (folder.parent / "new.txt").exists()
    # A link inside of the folder stays a link.
    version = browser.get("/api/file?path=inside.yaml").json()["version"]
    assert _put(browser, "inside.yaml", "name: b\n", version)[0] == 200
    assert (folder / "inside.yaml").is_symlink()
    assert (folder / "eval.yaml").read_text() == "name: b\n"


def test_what_git_would_execute_is_out_of_reach(browser: TestClient, folder: Path) -> None:
    (folder / "sub/.git").mkdir(parents=True)
    for path in (".git/hooks/post-checkout", "sub/.git/config", "sub/.GIT/config"):
        assert _put(browser, path, "#!/bin/sh\n") == (403, {"error": "The files of git are not shown here."})
    (folder / "hooks").symlink_to("sub/.git/hooks")
    assert _put(browser, "hooks/post-checkout", "#!/bin/sh\n")[0] == 403
    assert not list((folder / "sub/.git").iterdir())


def test_traps_in_the_place_of_a_file_cost_nothing(browser: TestClient, folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    with (folder / "huge.yaml").open("wb") as file:
        file.truncate(8_000_000_000)
    (folder / "picture.yaml").write_bytes(b"\xff\xfe\x00")
    (folder / "folder.yaml").mkdir()
    for name, status in {"pipe.yaml": 403, "huge.yaml": 413, "picture.yaml": 415, "folder.yaml": 403}.items():
        answer = browser.get("/api/file", params={"path": name})
        assert answer.status_code == status, answer.text
        assert name in answer.json()["error"]
        assert _put(browser, name, "mine")[0] >= 400
    assert {it["path"] for it in browser.get("/api/tree").json()["entries"]} == {
        "eval.yaml",
        "folder.yaml",
        "huge.yaml",
        "picture.yaml",
    } - {"folder.yaml"}


def test_oversized_and_broken_bodies_are_refused(browser: TestClient, folder: Path) -> None:
    before = (folder / "eval.yaml").read_text()
    assert _put(browser, "big.yaml", "x" * 2_000_001)[0] == 413
    json = {"content-type": "application/json"}
    endless = browser.put("/api/file", content=(b" " * 1_000_000 for _ in range(15)), headers=json)
    assert endless.status_code == 413
    for body in (
        b"",
        b"[]",
        b"{",
        b'{"path": "a"}',
        b'{"path": 1, "text": "", "version": ""}',
        b"[" * 100_000,
        b"\xff",
    ):
        assert browser.put("/api/file", content=body, headers=json).status_code == 400
    form = {"content-type": "text/plain"}
    assert (
        browser.put(
            "/api/file", content=b'{"path": "a", "text": "", "version": ""}', headers=form
        ).status_code
        == 415
    )
    half = b'{"path": "half.yaml", "text": "\\ud800", "version": ""}'
    assert browser.put("/api/file", content=half, headers=json).status_code == 400
    assert [it.name for it in folder.iterdir()] == ["eval.yaml"]
    assert (folder / "eval.yaml").read_text() == before


def test_the_tree_shows_what_git_would(browser: TestClient, folder: Path) -> None:
    for path in (".git/config", "node_modules/a/b.yaml", "build/out.yaml", "tasks/one.yaml", "notes.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("id: one\ninputs: {prompt: Hi}\n", "utf-8")
    (folder / ".gitignore").write_text("build/\n", "utf-8")
    found = browser.get("/api/tree").json()
    assert [(it["path"], it["kind"], it["is_eval"]) for it in found["entries"]] == [
        (".gitignore", "file", False),
        ("eval.yaml", "file", True),
        ("notes.md", "file", False),
        ("tasks", "folder", False),
        ("tasks/one.yaml", "file", True),
    ]
    assert found["truncated"] is False
