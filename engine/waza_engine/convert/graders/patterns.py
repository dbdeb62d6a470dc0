r"""Convert patterns between RE2 (waza) and JavaScript with flags only at the start (vally).

Patterns with the same meaning in both stay as written. `.`, `\s` and `\b` differ only at rare characters (carriage
return, line separators, non-ASCII spaces); these differences are ignored.
"""

import re

from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.lib.go.regexp import regex_error, regex_matches
from waza_engine.lib.js_regex import js_error, js_notes
from waza_engine.lib.js_regex.parser import parse_pattern
from waza_engine.lib.js_regex.syntax import JsPatternError
from waza_engine.lib.js_regex.writers import NotInRe2, as_re2

_FLAGS = re.compile(r"\(\?([imsU]+)\)")
_GROUP = re.compile(r"\(\?(?P<on>[imsU]*)-(?P<off>[imsU]+):(?P<rest>.*)\)", re.DOTALL)
_POSIX = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "0-9A-Za-z",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\t\n\v\f\r ",
    "punct": r"!-\/:-@\[-`{-~",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_CODE = r"\\x\{(?P<code>[0-9a-fA-F]{1,4})\}"
_SET = r"(?P<opening>\[\^?\]?)(?P<members>(?:\[:\^?\w+:\]|\\.|[^\]\\])*)\]"
_TOKEN = re.compile(
    rf"\\A|\\z|\\Q.*?(?:\\E|$)|{_CODE}|{_SET}|\(\?P?<(?=\w)|\\.|\(\?[imsU-]+:|\(\?[imsU-]+\)|.",
    re.DOTALL,
)
_MEMBER = re.compile(rf"\[:(?P<name>\^?\w+):\]|{_CODE}|\\.|.", re.DOTALL)


def in_javascript(pattern: str) -> str | None:
    """Convert an RE2 pattern to JavaScript; None if that is impossible."""
    if regex_error(pattern) is not None:
        return None
    flags = _FLAGS.match(pattern)
    if flags and ("U" in flags[1] or len(set(flags[1])) < len(flags[1])):
        return None
    head, rest = (pattern[: flags.end()], pattern[flags.end() :]) if flags else ("", pattern)
    converted = head
    for token in _TOKEN.finditer(rest):
        word = _javascript_word(token, has_lines="m" in head)
        if word is None:
            return None
        converted += word
    return converted if js_error(converted) is None and not js_notes(converted) else None


def _javascript_word(token: re.Match[str], *, has_lines: bool) -> str | None:
    text = token[0]
    if text in {r"\A", r"\z"}:
        return None if has_lines else "^" if text == r"\A" else "$"
    if text.startswith(r"\Q"):
        return re.sub(r"([\\^$.*+?()[\]{}|/])", r"\\\1", text.removeprefix(r"\Q").removesuffix(r"\E"))
    if token["opening"]:
        members = [_javascript_member(it) for it in _MEMBER.finditer(token["members"])]
        # The first `]` of a set is literal in RE2; in JavaScript it would end the set.
        opening = token["opening"].replace("]", r"\]")
        return None if None in members else f"{opening}{''.join(it or '' for it in members)}]"
    if text.startswith("(?"):
        return "(?<" if text.endswith("<") else None
    return _javascript_character(token)


def _javascript_member(token: re.Match[str]) -> str | None:
    """A member of a character set."""
    if name := token["name"]:
        return _POSIX.get(name)
    return r"\[" if token[0] == "[" else _javascript_character(token)


def _javascript_character(token: re.Match[str]) -> str | None:
    if token["code"]:
        return f"\\u{int(token['code'], 16):04x}"
    # Named classes and octal characters, which JavaScript lacks or reads differently.
    return None if re.match(r"\\[pPCaQ0-7]", token[0]) else token[0]


def in_re2(pattern: str) -> str | None:
    """Convert a JavaScript pattern to RE2; None if that is impossible (look-around, back-references)."""
    if js_error(pattern) is not None:
        return None
    if (
        regex_error(pattern) is None
        and not js_notes(pattern)
        and r"\u" not in pattern
        and not re.search(r"\[\^?\]", pattern)
    ):
        return pattern
    try:
        read = parse_pattern(pattern)
    except JsPatternError:
        return None
    try:
        converted = as_re2(read.node)
    except NotInRe2:
        return None
    return converted if regex_error(converted) is None else None


def require_re2(pattern: str) -> str:
    """Convert a JavaScript pattern to RE2.

    Raises:
        NotConvertibleError: that is impossible.

    """
    converted = in_re2(pattern)
    if converted is None:
        raise NotConvertibleError(f"the pattern {pattern} cannot be expressed in RE2")
    return converted


def in_any_case(pattern: str) -> str:
    """Add the flag `i`, which waza puts in front of tool patterns, to the flags of an RE2 pattern.

    Flags of a group around the whole pattern, as `behind_any_case` writes it, move to the front too.
    """
    group = _GROUP.fullmatch(pattern)
    # If the rest is not a pattern by itself, the group ends earlier.
    if group and regex_error(pattern) is None and regex_error(group["rest"]) is None:
        on = "".join(it for it in dict.fromkeys("i" + group["on"]) if it not in group["off"])
        return f"(?{on}){group['rest']}" if on else group["rest"]
    flags = _FLAGS.match(pattern)
    if flags is None:
        return f"(?i){pattern}"
    return pattern if "i" in flags[1] else f"(?i{flags[1]}){pattern[flags.end() :]}"


def behind_any_case(pattern: str) -> str:
    """Write an RE2 pattern so that it keeps its meaning where waza trims it and prepends `(?i)`."""
    flags = _FLAGS.match(pattern)
    flags_on, rest = (flags[1], pattern[flags.end() :]) if flags else ("", pattern)
    if "i" not in flags_on and re.search(r"[\w\\\[]", rest):
        return f"(?{flags_on}-i:{rest})"
    others = flags_on.replace("i", "")
    head = f"(?{others})" if others else ""
    return f"{head}{rest}" if head or rest == rest.strip() else f"(?:{rest})"


def is_found_in_nothing(pattern: str) -> bool:
    """Whether the RE2 pattern matches empty text: waza treats a missing argument as empty, vally does not."""
    return regex_matches(in_any_case(pattern), "") is not False
