"""Replace secrets in texts before they are stored, logged, reported or shown.

Known secrets are the values of environment variables with such names, and of options such as `--api-key` in commands.
Others are recognised by their shape: the prefixes of providers' keys, JWTs, private keys, passwords in addresses,
assignments. What remains of a key's prefix (`sk-[redacted]`) says what was there.
"""

import dataclasses
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, TypeVar

REDACTED = "[redacted]"
REDACTED_NAME = "[redacted "
"""What replaces the value of a variable, before its name and a bracket."""
_LEAST_VALUE = 8
"""The length of the shortest value that is a secret wherever it occurs."""
_LEAST_WORD = 16
"""The same for a value that may be a word of prose."""
_LEAST_OPTION = 4
_SECRET_NAME = re.compile(
    r"(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?)(?:_?\d+)?$"
    r"|(?:^|[_-])(?:key|pat|auth)(?:_?\d+)?$",
    re.IGNORECASE,
)
_MEMBER_NAME = re.compile(
    r"(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase)$", re.IGNORECASE
)
"""Keys of mappings whose values are secrets: a plain `key` is too often something else."""
_IDENTIFIERS = frozenset(
    ["task", "name", "type", "path", "pointer", "run_id", "eval", "status", "executor", "model", "tool_name"]
)
"""Fields of records and events that refer to something: they never change."""

_WITH_DIGIT = r"(?=[^\s\"']{0,80}\d)"
_NAME = r"(?i:[\w-]{0,60}(?:api[_-]?key|token|secret|passw(?:or)?d))"
_VALUE = rf"{_WITH_DIGIT}[^\s\"'$<{{(\[,;\\]{{8,500}}"
"""What follows a name with `=` or `:` and is no expression."""
_HINTS = ("key", "Key", "KEY", "_PAT", "oken", "OKEN", "ecret", "ECRET", "assw", "ASSW")
_PATTERNS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("sk-",), r"(\bsk-)(?=[\w-]{0,200}\d)[\w-]{16,300}"),
    (("_live_", "_test_"), r"(\b[sr]k_(?:live|test)_)\w{10,200}"),
    (("whsec_",), r"(\bwhsec_)[\w+/=]{16,200}"),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"(\bgh[pousr]_)\w{20,300}"),
    (("github_pat_",), r"(\bgithub_pat_)\w{20,300}"),
    (("glpat-",), r"(\bglpat-)[\w-]{16,200}"),
    (("AKIA", "ASIA"), r"(\b(?:AKIA|ASIA))[A-Z0-9]{16}\b"),
    (("xox", "xapp-"), r"(\b(?:xox[a-z]|xapp)-)[\w-]{10,300}"),
    (("hooks.slack.com",), r"(hooks\.slack\.com/services/)[\w/]{20,200}"),
    (("AIza",), r"(\bAIza)[\w-]{30,100}"),
    (("ya29.", "GOCSPX-"), r"(\b(?:ya29\.|GOCSPX-))[\w-]{20,500}"),
    (("npm_",), r"(\bnpm_)\w{30,100}"),
    (("pypi-",), r"(\bpypi-)[\w-]{32,500}"),
    (("hf_", "gsk_"), r"(\b(?:hf|gsk)_)[A-Za-z0-9]{30,200}"),
    (("xai-",), r"(\bxai-)\w{40,200}"),
    (("SG.",), r"(\bSG\.)[\w-]{16,100}\.[\w-]{16,100}"),
    (("AccountKey=", "SharedAccessKey="), r"(\b(?:Account|SharedAccess)Key=)[\w+/=]{20,200}"),
    (("dop_v1_",), r"(\bdop_v1_)[0-9a-f]{32,200}"),
    (("eyJ",), r"(\beyJ)[\w-]{8,4000}\.eyJ[\w-]{8,8000}(?:\.[\w-]{0,4000})?"),
    (
        ("PRIVATE KEY",),
        r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?!\[redacted\])"
        r".*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    (("://",), r"(://[^\s/:@\"']{0,100}:)[^\s/@\"']{3,200}(?=@)"),
    (
        ("earer", "EARER", "asic", "ASIC"),
        rf"((?i:\b(?:bearer|basic))\s{{1,3}}){_WITH_DIGIT}[\w.~+/=-]{{16,4000}}",
    ),
    (_HINTS, rf"((?<!-)--{_NAME}(?:=|\s{{1,3}})[\"']?){_VALUE}"),
    (
        _HINTS,
        rf"(\b[A-Z][A-Z0-9_]{{0,60}}(?:(?<=KEY)|(?<=_PAT)|(?<=TOKEN)|(?<=SECRET)|(?<=PASSWD)|(?<=PASSWORD))[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?){_VALUE}",
    ),
    (
        ("-key", "-Key", "-KEY"),
        rf"((?i:\b(?:x-)?api-key)[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?){_VALUE}",
    ),
    (_HINTS, rf"((?<!\w)\\?\"{_NAME}\\?\"\s{{0,3}}:\s{{0,3}}\\?\"){_VALUE}"),
)
_Value = TypeVar("_Value")


@cache
def _shapes() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return the shapes of keys: texts of which one must occur, and a pattern whose first group stays."""
    # All repetitions are bounded: texts of others must not make the search slow.
    return tuple((hints, re.compile(pattern, re.DOTALL)) for hints, pattern in _PATTERNS)


def is_secret_name(name: str) -> bool:
    """Return whether a variable or option of this name holds a credential."""
    return _SECRET_NAME.search(name) is not None


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces secrets. `known` maps secret values to what replaces them, the longest first."""

    known: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *environments: Mapping[str, str],
        commands: Iterable[str] = (),
    ) -> Self:
        """Return a redactor that also knows the secrets of these environments and command lines."""
        found: dict[str, str] = {}
        for command in commands:
            found |= dict.fromkeys(_option_values(command), REDACTED)
        for it in environments:
            found |= {
                value: f"{REDACTED_NAME}{name}]" for name, value in it.items() if _is_secret(name, value)
            }
        return cls({it: found[it] for it in sorted(found, key=len, reverse=True)})

    def text(self, text: str) -> str:
        """Return the text without secrets. A text without any is returned itself."""
        for secret, mark in self.known.items():
            if secret in text:
                text = text.replace(secret, mark)
        for hints, pattern in _shapes():
            if any(it in text for it in hints):
                text = pattern.sub(rf"\1{REDACTED}", text)
        return text

    def data(self, value: _Value) -> _Value:
        """Return plain data, a record or an event with secrets replaced in all texts. Without any, the value is returned itself.

        Identifiers of records and events stay, and paths.
        """
        return self._data(value)  # type: ignore[no-any-return]  # the type is that of `value`

    def _data(self, value: Any) -> Any:
        if isinstance(value, str):
            # A subclass of str carries more than its text.
            return self.text(value) if type(value) is str else value
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, list | tuple):
            items = [self._data(it) for it in value]
            is_same = all(new is old for new, old in zip(items, value, strict=True))
            return value if is_same or hasattr(value, "_fields") else type(value)(items)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changes = self._changes(value, (it.name for it in dataclasses.fields(value) if it.init))
            return dataclasses.replace(value, **changes) if changes else value
        if (fields := getattr(type(value), "model_fields", None)) is not None:
            changes = self._changes(value, fields)
            return value.model_copy(update=changes) if changes else value
        return value

    def _changes(self, value: Any, names: Iterable[str]) -> dict[str, Any]:
        pairs = ((name, getattr(value, name)) for name in names if name not in _IDENTIFIERS)
        redacted = ((name, it, self._data(it)) for name, it in pairs)
        return {name: new for name, old, new in redacted if new is not old}

    def _mapping(self, value: Mapping[Any, Any]) -> Any:
        changed: dict[Any, Any] = {}
        is_same = True
        for key, it in value.items():
            new_key = self.text(key) if isinstance(key, str) else key
            new = REDACTED if _is_secret_member(key, it) else self._data(it)
            is_same = is_same and new is it and new_key is key
            changed[new_key] = new
        return value if is_same else changed


def _is_secret(name: str, value: str) -> bool:
    """Return whether a variable's value is a secret wherever it occurs. Short values and words are too common."""
    is_word = value.isalpha() and value.islower()
    long_enough = len(value) >= (_LEAST_WORD if is_word else _LEAST_VALUE)
    return long_enough and is_secret_name(name) and not (os.path.isabs(value) and os.path.exists(value))  # noqa: PTH110, PTH117  # a text, perhaps no path


def _is_secret_member(key: Any, value: Any) -> bool:
    return (
        isinstance(key, str)
        and type(value) is str
        and len(value) >= _LEAST_VALUE
        and REDACTED not in value
        and REDACTED_NAME not in value
        and not any(it.isspace() for it in value)
        and _MEMBER_NAME.search(key) is not None
    )


def _option_values(command: str) -> Iterator[str]:
    """Yield the values of options and assignments with secret names in a command line."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = [it.strip("\"'") for it in command.split()]
    values = []
    for word, after in zip(words, [*words[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        if not is_secret_name(name.lstrip("-")):
            continue
        if equals:
            values.append(value)
        elif word.startswith("-") and not after.startswith("-"):
            values.append(after)
    yield from (it for it in values if len(it) >= _LEAST_OPTION and "{" not in it)
