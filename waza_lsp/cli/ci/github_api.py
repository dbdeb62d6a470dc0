"""The few requests of GitHub's REST interface that the comment and the runs of the base branch need.

Answers are bounded, addresses are made from checked words, and the token goes to the server of the interface only:
downloads are redirected to storage elsewhere, which is asked without it.
"""

import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import Any, TypeVar
from urllib.parse import urlsplit

from waza_engine.version import __version__

_MOST_ANSWER = 20_000_000
_MOST_PAGES = 50
_SECONDS = 30.0
_ATTEMPTS = 4
_MOST_WAIT = 60.0
_REPOSITORY = re.compile(r"(?!\.)[\w.-]{1,100}/[\w.-]{1,100}")
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
_REDIRECTS = frozenset([301, 302, 303, 307, 308])
_T = TypeVar("_T")


class ApiError(Exception):
    """GitHub refused a request, or cannot be reached. `wait` are the seconds to wait, if it helps to ask again."""

    def __init__(self, message: str, status: int = 0, wait: float | None = None) -> None:
        super().__init__(message)
        self.status, self.wait = status, wait


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class GitHub:
    """A repository of a GitHub server. `url` is the address of the interface, `server` that of its pages."""

    url: str
    server: str
    repository: str
    token: str
    sleep: Callable[[float], None] = time.sleep

    @classmethod
    def from_environment(cls) -> "GitHub":
        """Return the repository of this workflow.

        Raises:
            ApiError: this is no workflow, or the step has no token.

        """
        repository = os.environ.get("GITHUB_REPOSITORY", "")
        token = os.environ.get("GITHUB_TOKEN", "")
        if not _REPOSITORY.fullmatch(repository) or not token:
            raise ApiError(
                "This needs GITHUB_REPOSITORY and GITHUB_TOKEN: in a workflow, set `env: GITHUB_TOKEN: ${{ github.token }}`"
            )
        url = os.environ.get("GITHUB_API_URL") or "https://api.github.com"
        server = os.environ.get("GITHUB_SERVER_URL") or "https://github.com"
        return cls(url.rstrip("/"), server.rstrip("/"), repository, token)

    def get(self, path: str) -> Any:
        """Return the answer to a request below the repository."""
        return self._json("GET", self._address(path))[0]

    def post(self, path: str, data: Mapping[str, Any]) -> Any:
        """Create something."""
        return self._json("POST", self._address(path), data)[0]

    def patch(self, path: str, data: Mapping[str, Any]) -> Any:
        """Change something."""
        return self._json("PATCH", self._address(path), data)[0]

    def items(self, path: str, key: str = "") -> Iterator[dict[str, Any]]:
        """Yield the objects of a list, page by page; with `key`, the list is a member of each answer."""
        address: str | None = self._address(path)
        for _ in range(_MOST_PAGES):
            if address is None:
                return
            answer, headers = self._json("GET", address)
            listed = answer.get(key) if key and isinstance(answer, dict) else answer
            yield from (it for it in listed if isinstance(it, dict)) if isinstance(listed, list) else ()
            address = self._next(headers)

    def download(self, path: str, limit: int) -> bytes:
        """Return a file that GitHub redirects to."""
        with self._open("GET", self._address(path), None, follow=False) as answer:
            if answer.status not in _REDIRECTS:
                return _read(answer, limit)
            address = answer.headers.get("Location") or ""
        scheme = urlsplit(address).scheme
        if scheme != "https" and scheme != urlsplit(self.url).scheme:
            raise ApiError("GitHub redirects the download to an address that is not https")
        request = urllib.request.Request(address, headers={"User-Agent": _agent()})  # noqa: S310  # checked above
        with _send(request) as answer:
            return _read(answer, limit)

    def patiently(self, action: Callable[[], _T]) -> _T:
        """Do something that may be done twice; again after a while if GitHub is busy.

        Raises:
            ApiError: GitHub refuses it, or stays busy.

        """
        for attempt in range(1, _ATTEMPTS):
            try:
                return action()
            except ApiError as error:
                if error.wait is None:
                    raise
                self.sleep(min(max(error.wait, 2.0**attempt), _MOST_WAIT))
        return action()

    def _address(self, path: str) -> str:
        return f"{self.url}/repos/{self.repository}/{path}"

    def _next(self, headers: HTTPMessage) -> str | None:
        """Return the address of the next page, if it is one of the same server."""
        match = _NEXT.search(headers.get("Link") or "")
        return match[1] if match and match[1].startswith(f"{self.url}/") else None

    def _json(
        self, method: str, address: str, data: Mapping[str, Any] | None = None
    ) -> tuple[Any, HTTPMessage]:
        with self._open(method, address, data) as answer:
            body, headers = _read(answer, _MOST_ANSWER), answer.headers
        try:
            return json.loads(body or b"null"), headers
        except (ValueError, RecursionError) as error:
            raise ApiError("GitHub's answer is not valid JSON", wait=1.0) from error

    def _open(self, method: str, address: str, data: Mapping[str, Any] | None, *, follow: bool = True) -> Any:
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": _agent(),
        }
        body = None if data is None else json.dumps(data).encode()
        if urlsplit(address).scheme not in {"http", "https"}:
            raise ApiError(f"'{self.url}' is not an http or https address. Correct GITHUB_API_URL")
        return _send(
            urllib.request.Request(address, body, headers, method=method),  # noqa: S310  # checked above
            redirects=not follow,
        )


def _agent() -> str:
    return f"waza-lsp/{__version__}"


def _send(request: urllib.request.Request, *, redirects: bool = False) -> Any:
    try:
        return urllib.request.build_opener(_NoRedirects()).open(request, timeout=_SECONDS)
    except urllib.error.HTTPError as error:
        if redirects and error.code in _REDIRECTS:
            return error
        with error:
            raise _refusal(error) from error
    except (OSError, HTTPException) as error:
        raise ApiError(f"GitHub cannot be reached: {error}", wait=1.0) from error


def _read(answer: Any, limit: int) -> bytes:
    try:
        data: bytes = answer.read(limit + 1)
    except (OSError, HTTPException) as error:
        raise ApiError(f"GitHub's answer ended early: {error}", wait=1.0) from error
    if len(data) > limit:
        raise ApiError(f"GitHub's answer has more than {limit:,} bytes")
    return data


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    """Return the error with what to do. A limit is over after a while, a missing right never."""
    message = f"GitHub answered {error.code} {error.reason}"
    after = error.headers.get("Retry-After") or ""
    is_limit = error.code == 429 or (error.code == 403 and error.headers.get("X-RateLimit-Remaining") == "0")
    if is_limit or after.isdecimal() or error.code >= 500:
        return ApiError(message, error.code, float(after[:6]) if after.isdecimal() else 1.0)
    if error.code in {401, 403, 404}:
        message += ". The token may lack a right: see `permissions` on the page docs/ci.md"
    return ApiError(message, error.code)
