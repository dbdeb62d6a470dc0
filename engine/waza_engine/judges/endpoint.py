"""Posting to an OpenAI-compatible chat endpoint: patient with rate limits and bad moments, within a time budget.

Only the standard library is used. Redirects are not followed, because they would carry the key elsewhere.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

_RETRIED = frozenset([408, 409, 425, 429, 500, 502, 503, 504, 529])
_LOOPBACK = frozenset(["localhost", "127.0.0.1", "::1"])
_MOST_BYTES = 20_000_000
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 20.0


class EndpointError(Exception):
    """No answer. `parameter` names the member of the request that the endpoint refused, if it said so.

    `transient` says that the endpoint may well answer a little later.
    """

    def __init__(self, message: str, parameter: str = "", *, transient: bool = False) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.transient = transient


class _MomentaryError(Exception):
    """Worth another try, after `pause` seconds if the endpoint said so."""

    def __init__(self, message: str, pause: float | None = None) -> None:
        super().__init__(message)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post. `base_url` ends before `/chat/completions`; `attempts` counts the first one too."""

    base_url: str
    api_key: str = ""
    attempts: int = 5
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def complete(self, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The decoded answer to a chat completion, tried again until `seconds` are up.

        Raises:
            EndpointError: none could be had.

        """
        deadline = self.clock() + seconds
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, self.attempts + 1):
            try:
                return self._post(body, deadline)
            except _MomentaryError as error:
                wait = error.pause if error.pause is not None else pause
                if attempt == self.attempts or self.clock() + wait >= deadline:
                    tried = f" (tried {attempt} times)" if attempt > 1 else ""
                    raise EndpointError(f"{error}{tried}", transient=True) from error
                self.sleep(wait)
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        raise EndpointError("no attempt was allowed")

    def _post(self, body: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        request = self._request(body)
        left = deadline - self.clock()
        if left <= 0:
            raise EndpointError("the time was up")
        try:
            with _opener(request.host).open(request, timeout=left) as response:
                data = self._read(response, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from error
        except (OSError, HTTPException) as error:
            raise _MomentaryError(f"the endpoint {self.base_url} cannot be reached: {error}") from error
        try:
            answer = json.loads(data)
        except ValueError as error:
            raise _MomentaryError("the endpoint answered something that is no JSON") from error
        if not isinstance(answer, dict):
            raise EndpointError("the endpoint answered something that is no JSON object")
        return answer

    def _request(self, body: Mapping[str, Any]) -> urllib.request.Request:
        url = urlsplit(f"{self.base_url.rstrip('/')}/chat/completions")
        if url.scheme not in {"http", "https"} or not url.hostname:
            raise EndpointError(f"'{self.base_url}' is no http or https address: correct OPENAI_BASE_URL")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.api_key:
            azure = url.hostname.endswith(".azure.com")
            headers |= {"api-key": self.api_key} if azure else {"Authorization": f"Bearer {self.api_key}"}
        data = json.dumps(body).encode()
        return urllib.request.Request(url.geturl(), data, headers)  # noqa: S310  # the scheme is checked above

    def _read(self, response: HTTPResponse, deadline: float) -> bytes:
        data = bytearray()
        while chunk := response.read1(65_536):
            data += chunk
            if len(data) > _MOST_BYTES:
                raise EndpointError("the endpoint's answer is too long")
            if self.clock() > deadline:
                raise EndpointError("the endpoint did not finish its answer in time")
        return bytes(data)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(host: str | None) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if urlsplit(f"//{host}").hostname in _LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))  # models on this machine are not behind a proxy
    return urllib.request.build_opener(*handlers)


def _refusal(error: urllib.error.HTTPError) -> Exception:
    try:
        answer = json.loads(error.read(_MOST_BYTES))
    except (OSError, ValueError, HTTPException):
        answer = None
    detail = answer.get("error", answer) if isinstance(answer, dict) else None
    detail = detail if isinstance(detail, dict) else {"message": detail}
    message = f"the endpoint answered {error.code}: {detail.get('message') or error.reason}"
    # An empty account is reported with the status of a rate limit, but waiting does not fill it.
    if error.code in _RETRIED and detail.get("code") != "insufficient_quota":
        return _MomentaryError(message, _retry_after(error.headers))
    return EndpointError(message, str(detail.get("param") or ""))


def _retry_after(headers: Any) -> float | None:
    """The seconds that the endpoint asks to wait."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        text = headers.get("Retry-After") or ""
        if text.strip().isdigit():
            return float(text)
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time()) if text else None
    except (TypeError, ValueError):
        return None
