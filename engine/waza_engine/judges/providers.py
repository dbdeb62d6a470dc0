"""Endpoints of single judge models, which the project's settings (`judges`) or the eval (`judge_provider`) name.

The key is never in the file: `apiKeyEnv` names an environment variable. Files come with repositories, so a key goes only
to a host that the user's environment names, too, unless the variable is meant for such judges (`WAZA_LSP_JUDGE_*`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import SplitResult, urlsplit

from waza_engine.judges.openai import DEFAULT_BASE_URL, Endpoint, OpenAIJudge, azure_base_url
from waza_engine.model.judge import NO_JUDGE, Judge, JudgeMissing, JudgeRequest, JudgeTurn

HOSTS_VARIABLE = "WAZA_LSP_JUDGE_HOSTS"
"""Hosts, or globs such as `*.azure.com`, that may get keys, separated by commas."""
KEY_PREFIX = "WAZA_LSP_JUDGE_"
_MEMBERS = {
    "type": ("type",),
    "base_url": ("baseUrl", "base_url"),
    "key": ("apiKeyEnv", "api_key_env"),
    "version": ("apiVersion", "api_version"),
}
_OPENAI, _AZURE = "openai", "azure"


class ProviderError(Exception):
    """A judge's endpoint cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RoutedJudge:
    """Asks the first judge whose pattern matches the model. Other models go to `default`, or are refused without one."""

    routes: tuple[tuple[str, Judge], ...]
    default: Judge | None
    model: str = ""

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Run a turn with the judge of the request's model."""
        return self._judge(request.model).turn(request)

    def reply(self, message: str, model: str = "") -> Any:
        """Ask the model's judge for one JSON reply."""
        return self._judge(model).reply(message, model)

    def _judge(self, model: str) -> Judge:
        for pattern, judge in self.routes:
            if fnmatchcase(model or self.model, pattern):
                return judge
        if self.default is None:
            raise JudgeMissing(NO_JUDGE)
        return self.default


def provider_judge(data: Any, where: str, environment: Mapping[str, str], model: str) -> Judge:
    """Return the judge at an endpoint. `where` names the setting in messages.

    Raises:
        ProviderError: a member is missing or wrong, or the key must not go to this host.

    """
    if not isinstance(data, Mapping):
        raise ProviderError(f"{where} must be a mapping with 'baseUrl'")
    given = {name: _text(data, spellings, where) for name, spellings in _MEMBERS.items()}
    kind = given["type"] or _OPENAI
    if kind not in {_OPENAI, _AZURE}:
        raise ProviderError(
            f"{where}: waza-lsp does not speak the protocol of '{kind}'. Name an endpoint that is compatible with "
            f"OpenAI, with type: {_OPENAI}"
        )
    url = urlsplit(given["base_url"])
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ProviderError(
            f"{where}: '{given['base_url']}' is not an http or https address. Correct 'baseUrl'"
        )
    key = _key(given["key"], url, where, environment)
    base_url = given["base_url"]
    if kind == _AZURE:
        base_url = azure_base_url(base_url, given["version"])
    return OpenAIJudge(Endpoint(base_url, key, is_azure=kind == _AZURE), model)


def _text(data: Mapping[str, Any], spellings: tuple[str, ...], where: str) -> str:
    nested = data.get(_AZURE)
    for it in (data, nested if isinstance(nested, Mapping) else {}):
        for name in spellings:
            value = it.get(name)
            if value is not None and not isinstance(value, str):
                raise ProviderError(f"{where}: '{name}' must be a text")
            if value:
                return value
    return ""


def _key(name: str, url: SplitResult, where: str, environment: Mapping[str, str]) -> str:
    if not name:
        return ""
    key = environment.get(name, "")
    if not key:
        raise ProviderError(
            f"{where}: the environment variable {name} is not set. It holds the endpoint's key"
        )
    host = url.hostname or ""
    patterns = [it.strip() for it in environment.get(HOSTS_VARIABLE, "").split(",")]
    is_known = any(fnmatchcase(host, it) or fnmatchcase(url.netloc, it) for it in patterns if it)
    if is_known or name.startswith(KEY_PREFIX) or (url.scheme, url.netloc) in _own_addresses(environment):
        return key
    raise ProviderError(
        f"{where}: the key in {name} is not sent to {host}, because only a file names this host. If you trust it, set "
        f"{HOSTS_VARIABLE}={host}, or put the key into a variable whose name begins with {KEY_PREFIX}"
    )


def _own_addresses(environment: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return scheme and host of the endpoints that the user's environment names, and of OpenAI's own."""
    addresses = (
        environment.get("OPENAI_BASE_URL"),
        environment.get("AZURE_OPENAI_ENDPOINT"),
        DEFAULT_BASE_URL,
    )
    return {urlsplit(it)[:2] for it in addresses if it}
