"""A stand-in of GitHub's REST interface: pull requests, comments and artifacts of one repository, with pages and failures."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY, OWN_ID = "someone/evals", 7
TOKEN = "token-of-this-job"  # noqa: S105  # of the stand-in


class FakeGitHub:
    """The state of the repository. `failures` are answers to the next requests whose method and path match."""

    def __init__(self) -> None:
        self.pulls: dict[int, dict[str, Any]] = {}
        self.comments: dict[int, dict[str, Any]] = {}
        self.artifacts: dict[int, dict[str, Any]] = {}
        self.archives: dict[int, bytes] = {}
        self.failures: list[tuple[str, str, int, dict[str, str]]] = []
        self.requests: list[str] = []
        self.page_size = 100
        self.url = ""

    def add_pull(self, number: int, head: str, state: str = "open", repository: str = REPOSITORY) -> None:
        """Add a pull request."""
        base = {"ref": "main", "repo": {"full_name": repository}}
        self.pulls[number] = {"number": number, "state": state, "head": {"sha": head}, "base": base}

    def add_comment(self, body: str, kind: str = "User") -> int:
        """Add a comment of somebody, and return its id."""
        number = 1 + max(self.comments, default=100)
        self.comments[number] = {"id": number, "body": body, "user": {"login": "x", "type": kind}}
        return number

    def add_artifact(
        self, name: str, archive: bytes, branch: str, *, run: int = 1, repository: int = OWN_ID
    ) -> int:
        """Add an artifact that a branch of a repository has made, and return its id."""
        number = 1 + max(self.artifacts, default=500)
        made_by = {
            "id": run,
            "repository_id": OWN_ID,
            "head_repository_id": repository,
            "head_branch": branch,
        }
        self.archives[number] = archive
        self.artifacts[number] = {
            "id": number,
            "name": name,
            "expired": False,
            "created_at": f"2026-01-01T00:00:{number - 500:02}Z",
            "workflow_run": made_by,
        }
        return number

    @property
    def bodies(self) -> list[str]:
        """The texts of all comments."""
        return [it["body"] for it in self.comments.values()]

    def answer(self, method: str, path: str, query: dict[str, list[str]], data: Any) -> tuple[int, Any]:
        """Return the status and the answer to a request; an answer that is a list has pages."""
        path = path.removeprefix(f"/repos/{REPOSITORY}/")
        if match := re.fullmatch(r"pulls/(\d+)", path):
            return (200, self.pulls[int(match[1])]) if int(match[1]) in self.pulls else (404, {})
        if match := re.fullmatch(r"issues/(\d+)/comments", path):
            if method == "POST":
                self.add_comment(data["body"], "Bot")
                return 201, {}
            return 200, list(self.comments.values())
        if match := re.fullmatch(r"issues/comments/(\d+)", path):
            if int(match[1]) not in self.comments or method != "PATCH":
                return 404, {}
            self.comments[int(match[1])]["body"] = data["body"]
            return 200, {}
        if match := re.fullmatch(r"actions(?:/runs/(\d+))?/artifacts", path):
            found = [it for it in self.artifacts.values() if it["name"] == query["name"][0]]
            if match[1]:
                found = [it for it in found if it["workflow_run"]["id"] == int(match[1])]
            return 200, {"artifacts": found}
        return 404, {}

    def respond(
        self, method: str, target: str, authorization: str | None, data: Any
    ) -> tuple[int, bytes, dict[str, str]]:
        """Return the status, the body and the headers of an answer."""
        self.requests.append(f"{method} {target}")
        for it in self.failures:
            if it[0] == method and re.search(it[1], target):
                self.failures.remove(it)
                return it[2], b"{}", it[3]
        address = urlsplit(target)
        if match := re.fullmatch(r"/storage/(\d+)", address.path):
            # The storage belongs to somebody else: it must not learn the token.
            return 400 if authorization else 200, self.archives[int(match[1])], {}
        if authorization != f"Bearer {TOKEN}":
            return 401, b"{}", {}
        if match := re.search(r"/actions/artifacts/(\d+)/zip$", address.path):
            return 302, b"", {"Location": f"{self.url}/storage/{match[1]}"}
        query = parse_qs(address.query)
        status, found = self.answer(method, address.path, query, data)
        return status, *self._page(found, target, query)

    def _page(self, found: Any, target: str, query: dict[str, list[str]]) -> tuple[bytes, dict[str, str]]:
        listed = found.get("artifacts") if isinstance(found, dict) else found
        if not isinstance(listed, list):
            return json.dumps(found).encode(), {}
        page = int(query.get("page", ["1"])[0])
        start = (page - 1) * self.page_size
        rest = listed[start + self.page_size :]
        shown = listed[start : start + self.page_size]
        more = re.sub(r"[?&]page=\d+", "", target)
        link = f'<{self.url}{more}&page={page + 1}>; rel="next", <{self.url}{more}>; rel="first"'
        answer = {"artifacts": shown} if isinstance(found, dict) else shown
        return json.dumps(answer).encode(), {"Link": link} if rest else {}


class _Handler(BaseHTTPRequestHandler):
    github: FakeGitHub

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        data = json.loads(self.rfile.read(length)) if length else None
        authorization = self.headers.get("Authorization")
        status, body, headers = self.github.respond(self.command, self.path, authorization, data)
        self.send_response(status)
        for it in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(*it)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = _handle  # noqa: N815  # the names that the server calls

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def serving(github: FakeGitHub) -> Iterator[None]:
    """Serve the stand-in on a port of this machine."""
    handler = type("Handler", (_Handler,), {"github": github})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        github.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
