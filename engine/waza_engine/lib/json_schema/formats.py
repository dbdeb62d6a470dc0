"""The values of `format` that can fail, in draft-07 and older.

Others always pass. See docs/reference/waza-graders.md, section 13.9.
"""

import re
from collections.abc import Callable, Mapping

from jsonschema import FormatChecker

from waza_engine.lib.go.regexp import regex_error

_LIBRARY = FormatChecker(["date", "ipv4", "ipv6"])
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOCAL_PART = re.compile(r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*")
_POINTER = re.compile(r"(/([^~/]|~[01])*)*", re.DOTALL)
_RELATIVE_POINTER = re.compile(r"(0|[1-9][0-9]*)(#|(/([^~/]|~[01])*)*)", re.DOTALL)
_DURATION = re.compile(
    r"P(?!$)(\d+W|(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)?(T(?=\d)(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?)",
    re.ASCII,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_TEMPLATE = re.compile(r"([^{}]|\{[^{}]+\})*", re.DOTALL)
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


def is_of_format(name: str, text: str) -> bool:
    """Return whether `text` has the format; a format that waza does not know always fits."""
    check = _FORMATS.get(name)
    return check is None or check(text)


def _is_date(text: str) -> bool:
    return _LIBRARY.conforms(text, "date")


def _is_ipv4(text: str) -> bool:
    return _LIBRARY.conforms(text, "ipv4")


def _is_ipv6(text: str) -> bool:
    return _LIBRARY.conforms(text, "ipv6")


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if not found:
        return False
    hour, minute, second = (int(it) for it in found.groups()[:3])
    zone = found[5]
    offset = 0
    if zone not in {"Z", "z"}:
        hours, minutes = int(zone[1:3]), int(zone[4:])
        if hours > 23 or minutes > 59:
            return False
        offset = (hours * 60 + minutes) * (1 if zone[0] == "+" else -1)
    if hour > 23 or minute > 59 or second > 60:
        return False
    # A leap second is the last second of a day in UTC.
    return second < 60 or (hour * 60 + minute - offset) % 1440 == 1439


def _is_date_time(text: str) -> bool:
    return len(text) > 11 and text[10] in "Tt" and _is_date(text[:10]) and _is_time(text[11:])


def _is_hostname(text: str) -> bool:
    name = text.removesuffix(".")
    return 0 < len(name) <= 253 and all(_LABEL.fullmatch(it) for it in name.split("."))


def _is_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or len(text) > 254 or not 0 < len(local) <= 64:
        return False
    if domain.startswith("[") and domain.endswith("]"):
        address = domain[1:-1]
        known = _is_ipv6(address[5:]) if address.startswith("IPv6:") else _is_ipv4(address)
    else:
        known = _is_hostname(domain)
    quoted = len(local) > 1 and local[0] == local[-1] == '"' and not set(local[1:-1]) & {'"', "\\"}
    return known and (quoted or bool(_LOCAL_PART.fullmatch(local)))


def _is_reference(text: str) -> bool:
    """What Go's `url.Parse` takes: hardly anything but bad escapes, hosts and ports is refused."""
    if "\\" in text or any(it < " " or it == "\x7f" for it in text):
        return False
    rest, _, fragment = text.partition("#")
    head, _, _ = rest.partition("?")
    found = _SCHEME.match(head)
    has_scheme = bool(found and head[found.end() : found.end() + 1] == ":")
    if not has_scheme and ":" in head.partition("/")[0]:
        return False
    path = head[found.end() + 1 :] if found and has_scheme else head
    if path.startswith("//"):
        authority, _, path = path[2:].partition("/")
        if not _is_authority(authority):
            return False
    elif has_scheme and not path.startswith("/"):
        # Opaque, as in `mailto:a@b`: taken as it is.
        path = ""
    return _escapes_well(path) and _escapes_well(fragment)


def _is_authority(text: str) -> bool:
    host = text.rpartition("@")[2]
    if host.startswith("["):
        address, closing, port = host[1:].partition("]")
        return (
            bool(closing)
            and _is_ipv6(address.partition("%25")[0])
            and bool(re.fullmatch(r"(:\d*)?", port, re.ASCII))
        )
    name, _, port = host.partition(":")
    return not set(name) & set(' <>"^`{|}\\') and (not port or (port.isascii() and port.isdigit()))


def _escapes_well(text: str) -> bool:
    return not re.search(r"%(?![0-9A-Fa-f]{2})", text)


def _is_uri(text: str) -> bool:
    found = _SCHEME.match(text)
    return bool(found and text[found.end() : found.end() + 1] == ":") and _is_reference(text)


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "time": _is_time,
    "date-time": _is_date_time,
    "duration": lambda it: bool(_DURATION.fullmatch(it)),
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "uri": _is_uri,
    "iri": _is_uri,
    "uri-reference": _is_reference,
    "iri-reference": _is_reference,
    "uri-template": lambda it: bool(_TEMPLATE.fullmatch(it)),
    "json-pointer": lambda it: bool(_POINTER.fullmatch(it)),
    "relative-json-pointer": lambda it: bool(_RELATIVE_POINTER.fullmatch(it)),
    "uuid": lambda it: bool(_UUID.fullmatch(it)),
    "regex": lambda it: regex_error(it) is None,
    "semver": lambda it: bool(_SEMVER.fullmatch(it)),
}
