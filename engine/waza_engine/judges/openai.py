"""A judge at any OpenAI-compatible chat endpoint: OpenAI, Azure, GitHub Models, Ollama, vLLM, OpenRouter ...

The loop is our own: send, run the tool calls, send their results, until the model makes no more calls. Rate limits and
temporary failures are retried within a time budget. The HTTP client is the standard library's. It does not follow
redirects, because they would send the API key elsewhere.
"""

import json
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

from waza_engine.judges.patience import Backoff, breaker_of, with_retries
from waza_engine.judges.replies import json_reply
from waza_engine.judges.workspace_tools import WORKSPACE_TOOLS, workspace_answer
from waza_engine.lib.redaction import Redactor
from waza_engine.model.judge import (
    NO_JUDGE,
    JudgeCall,
    JudgeError,
    JudgeMissing,
    JudgeRequest,
    JudgeTool,
    JudgeTurn,
)

_RETRIED_STATUSES = frozenset([408, 409, 425, 429, 500, 502, 503, 504, 529])
_LOOPBACK = frozenset(["localhost", "127.0.0.1", "::1"])
_MOST_BYTES = 20_000_000
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 20.0


class EndpointError(JudgeError):
    """The endpoint gave no answer. `parameter` is the member of the request that it refused, if known."""

    def __init__(
        self,
        message: str,
        parameter: str = "",
        *,
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, transient=transient, retry_after=retry_after)
        self.parameter = parameter


def _transient(message: str, retry_after: float | None = None) -> EndpointError:
    """Return an error that is worth a retry, after `retry_after` seconds if the endpoint asks for that."""
    return EndpointError(message, transient=True, retry_after=retry_after)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat endpoint. `base_url` is the address before `/chat/completions`; `attempts` includes the first one.

    A query in the address (such as Azure's `?api-version=`) stays, and `{model}` in its path is replaced by the model.
    Azure gets the key in a header of its own.
    """

    base_url: str
    api_key: str = ""
    attempts: int = 5
    is_azure: bool = False
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def complete(self, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the decoded answer to a chat completion, with retries for up to `seconds`.

        Raises:
            JudgeError: all attempts failed, or the endpoint is down and not asked now.

        """
        deadline = self.clock() + seconds
        name = f"the endpoint {self.base_url}"
        breaker = breaker_of(name)

        def ask() -> dict[str, Any]:
            breaker.check(self.clock())
            try:
                answer = self._post(body, deadline)
            except EndpointError as error:
                if error.transient:
                    breaker.failed(self.clock())
                raise
            breaker.succeeded()
            return answer

        backoff = Backoff(self.attempts, _FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS, seconds)
        try:
            return with_retries(ask, self.sleep, self.clock, backoff=backoff, about=name)
        except EndpointError as error:
            if not error.transient or error.attempts == 1:
                raise
            tried = f"{error} (tried {error.attempts} times)"
            raise EndpointError(tried, transient=True, retry_after=error.retry_after) from error

    def _post(self, body: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        request = self._request(body)
        left = deadline - self.clock()
        if left <= 0:
            raise EndpointError("the time limit is over")
        try:
            with _opener(request.host).open(request, timeout=left) as response:
                data = self._read(response, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, Redactor.of({"API_KEY": self.api_key})) from error
        except (OSError, HTTPException) as error:
            raise _transient(f"the endpoint {self.base_url} cannot be reached: {error}") from error
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise _transient("the endpoint's answer is not valid JSON") from error
        if not isinstance(answer, dict):
            raise EndpointError("the endpoint's answer is not a JSON object")
        return answer

    def _request(self, body: Mapping[str, Any]) -> urllib.request.Request:
        url = urlsplit(self.base_url)
        path = url.path.rstrip("/").replace("{model}", quote(str(body.get("model") or ""), safe=""))
        url = url._replace(path=f"{path}/chat/completions")
        if url.scheme not in {"http", "https"} or not url.hostname:
            raise EndpointError(f"'{self.base_url}' is not an http or https address. Correct OPENAI_BASE_URL")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.api_key:
            is_azure = self.is_azure or url.hostname.endswith(".azure.com")
            headers |= {"api-key": self.api_key} if is_azure else {"Authorization": f"Bearer {self.api_key}"}
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


def _refusal(error: urllib.error.HTTPError, redactor: Redactor) -> Exception:
    try:
        answer = json.loads(error.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError, HTTPException):
        answer = None
    detail = answer.get("error", answer) if isinstance(answer, dict) else None
    detail = detail if isinstance(detail, dict) else {"message": detail}
    # Endpoints quote the key that they refuse.
    message = redactor.text(f"the endpoint answered {error.code}: {detail.get('message') or error.reason}")
    # An account without credit gets the status of a rate limit, but waiting does not help.
    if error.code in _RETRIED_STATUSES and detail.get("code") != "insufficient_quota":
        return _transient(message, _retry_after(error.headers))
    return EndpointError(message, str(detail.get("param") or ""))


def _retry_after(headers: Any) -> float | None:
    """The seconds to wait that the endpoint asks for."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        text = headers.get("Retry-After") or ""
        if text.strip().isdigit():
            return float(text)
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time()) if text else None
    except (TypeError, ValueError):
        return None


DEFAULT_BASE_URL = "https://api.openai.com/v1"
_AZURE_VERSION = "2024-10-21"
"""The newest version of Azure's stable interface for chat completions; later ones are previews, or need none."""
_MOST_ROUNDS = 10
_REPLY_SECONDS = 120.0
_OPTIONAL = frozenset(["temperature", "reasoning_effort", "response_format"])
_FINISH_ERRORS = {
    "content_filter": "the endpoint's content filter stopped the judge",
    "length": "the judge's answer was cut off at the token limit",
}


def azure_base_url(endpoint: str, version: str) -> str:
    """Return the address of Azure's deployments, each named like its model, with the version of the interface."""
    if "/openai/" in endpoint:
        # The whole path, perhaps with a deployment of another name than the model.
        separator = "&" if "?" in endpoint else "?"
        return f"{endpoint}{separator}{urlencode({'api-version': version})}" if version else endpoint
    query = urlencode({"api-version": version or _AZURE_VERSION})
    return f"{endpoint.rstrip('/')}/openai/deployments/{{model}}?{query}"


@dataclass(frozen=True, slots=True)
class OpenAIJudge:
    """Runs judge turns at `endpoint`. `model` is used if neither the grader nor the run sets one."""

    endpoint: Endpoint
    model: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], model: str = "") -> Self:
        """Return the judge of `OPENAI_BASE_URL` and `OPENAI_API_KEY`; with a base URL the key is optional.

        Without both, the judge of `AZURE_OPENAI_ENDPOINT`, `AZURE_OPENAI_API_KEY` and `OPENAI_API_VERSION`.

        Raises:
            JudgeMissing: none of them is set.

        """
        base_url = environment.get("OPENAI_BASE_URL", "")
        api_key = environment.get("OPENAI_API_KEY", "")
        if not base_url and not api_key:
            azure = environment.get("AZURE_OPENAI_ENDPOINT", "")
            if not azure:
                raise JudgeMissing(NO_JUDGE)
            address = azure_base_url(azure, environment.get("OPENAI_API_VERSION", ""))
            return cls(Endpoint(address, environment.get("AZURE_OPENAI_API_KEY", ""), is_azure=True), model)
        return cls(Endpoint(base_url or DEFAULT_BASE_URL, api_key), model)

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Run one turn with tools. Unless the request forbids it, the judge may also read the workspace."""
        if request.session_id:
            raise JudgeError("this judge cannot continue an agent's session. Use the Copilot judge")
        turn = _Turn(self, request)
        try:
            return turn.run()
        except JudgeError as error:
            raise JudgeError(
                str(error), turn.calls, transient=error.transient, retry_after=error.retry_after
            ) from error

    def reply(self, message: str, model: str = "") -> Any:
        """Ask for one JSON reply at temperature 0."""
        body = {
            "model": model or self.model,
            "messages": [{"role": "user", "content": message}],
            "temperature": 0,
            "response_format": {"type": "json_object"},
        }
        try:
            text = _text(_choice(self.complete(body, _REPLY_SECONDS))[0])
        except EndpointError as error:
            raise JudgeError(str(error)) from error
        return json_reply(text)

    def complete(self, body: dict[str, Any], seconds: float, *, once: bool = False) -> dict[str, Any]:
        """Return the endpoint's answer. Optional parameters that the model does not know are removed from `body`.

        With `once`, temporary failures are not retried.
        """
        endpoint = replace(self.endpoint, attempts=1) if once else self.endpoint
        while True:
            try:
                return endpoint.complete(body, seconds)
            except EndpointError as error:
                if error.parameter not in _OPTIONAL or body.pop(error.parameter, None) is None:
                    raise


@dataclass(slots=True)
class _Turn:
    """One turn in progress."""

    judge: OpenAIJudge
    request: JudgeRequest
    calls: list[JudgeCall] = field(default_factory=list)
    usage: Counter[str] = field(default_factory=Counter)

    def run(self) -> JudgeTurn:
        request = self.request
        deadline = time.monotonic() + request.timeout_seconds
        messages: list[dict[str, Any]] = [{"role": "user", "content": request.message}]
        if request.system_message:
            messages.insert(0, {"role": "system", "content": request.system_message})
        body: dict[str, Any] = {"model": request.model or self.judge.model, "messages": messages}
        if tools := self._tools():
            body["tools"] = [_tool_json(it) for it in tools]
        if request.reasoning_effort:
            body["reasoning_effort"] = request.reasoning_effort
        text = error = ""
        reminders = 0
        for _ in range(_MOST_ROUNDS):
            answer = self.judge.complete(body, deadline - time.monotonic(), once=request.retried)
            message, finish = _choice(answer)
            self._count(answer)
            text, error = _text(message) or text, _FINISH_ERRORS.get(finish, "")
            calls = [it for it in _list(message.get("tool_calls")) if isinstance(it, dict)]
            reply = {"role": "assistant", "content": message.get("content"), "tool_calls": calls}
            messages += [reply, *(self._tool_result(it) for it in calls)]
            missing = request.next_reminder(self.calls, reminders)
            if not missing and (request.reminder is not None or not calls):
                break
            if not calls:
                del reply["tool_calls"]
                reply["content"] = reply["content"] or ""
                reminders += 1
                messages.append({"role": "user", "content": missing})
        usage = {"model": body["model"], **self.usage}
        return JudgeTurn(tuple(self.calls), text, error, usage)

    def _tools(self) -> list[JudgeTool]:
        may_read = self.request.workspace_dir and self.request.tools and not self.request.only_these_tools
        return [*self.request.tools, *(WORKSPACE_TOOLS if may_read else ())]

    def _tool_result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool call. If the call is wrong, the judge gets a message and can continue."""
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        name, arguments = str(function.get("name") or ""), _arguments(function.get("arguments"))
        answer: str | None = None
        if any(it.name == name for it in self.request.tools):
            self.calls.append(JudgeCall.of(name, arguments))
            answer = "Recorded."
        elif any(it.name == name for it in self._tools()):
            given = arguments if isinstance(arguments, dict) else {}
            answer = workspace_answer(Path(self.request.workspace_dir), name, given)
        return {
            "role": "tool",
            "tool_call_id": str(call.get("id") or ""),
            "content": answer or f"Unknown tool '{name}'.",
        }

    def _count(self, answer: Mapping[str, Any]) -> None:
        self.usage["requests"] += 1
        usage = answer.get("usage")
        if not isinstance(usage, dict):
            return
        names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens", "cost": "cost"}
        for ours, theirs in names.items():
            if isinstance(value := usage.get(theirs), (int, float)):
                self.usage[ours] += value  # type: ignore[assignment]  # a cost is not an integer


def _tool_json(tool: JudgeTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _choice(answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The message of the first choice, and why it ended."""
    choices = _list(answer.get("choices"))
    choice = choices[0] if choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise EndpointError("the endpoint's answer contains no message")
    return message, str(choice.get("finish_reason") or "")


def _text(message: Mapping[str, Any]) -> str:
    """The judge's text: the content, the texts of a list of parts, or the refusal."""
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, list):
        return "".join(str(it.get("text") or "") for it in content if isinstance(it, dict))
    return str(content)


def _arguments(value: Any) -> Any:
    """Decode tool arguments. Text that is not JSON stays text; empty text becomes None."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value else None
    except (ValueError, RecursionError):
        return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
