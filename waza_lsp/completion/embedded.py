"""Completion inside code: names in assertions, classes and groups in regular expressions.

A candidate replaces the word at the cursor, not the whole value. The schema names the language of a string
(`x-language`) and its names (`x-names`): per language, name -> {type, description, members, builtin}. Rare regular
expression syntax is left out to keep the list short.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from waza_engine.analysis.schema.navigate import Schema, schema_at
from waza_lsp.completion.candidates import Candidate
from waza_lsp.completion.suggestions import Rank, Suggestion, SuggestionKind
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.text import Place, Span


class PatternWord(NamedTuple):
    """A regular expression construct and its meaning."""

    text: str
    meaning: str


_BOTH = [
    PatternWord(r"\d", "a digit, 0-9"),
    PatternWord(r"\D", "anything but a digit"),
    PatternWord(r"\w", "an ASCII letter, digit or _"),
    PatternWord(r"\W", "anything but a letter, a digit or _"),
    PatternWord(r"\s", "whitespace"),
    PatternWord(r"\S", "anything but whitespace"),
    PatternWord(r"\b", "a word boundary"),
    PatternWord(r"\B", "not a word boundary"),
    PatternWord(r"\n", "a line feed"),
    PatternWord(r"\t", "a tab"),
    PatternWord("(?:", "a non-capturing group"),
]
_RE2 = [
    *_BOTH,
    PatternWord(r"\A", "the start of the text"),
    PatternWord(r"\z", "the end of the text"),
    PatternWord(r"\pL", "a letter in any script"),
    PatternWord(r"\pN", "a number in any script"),
    PatternWord(r"\p{Greek}", "a letter of the Greek script"),
    PatternWord(r"\Q", "start of literal text, up to \\E"),
    PatternWord(r"\E", "end of literal text"),
    PatternWord("(?i)", "case-insensitive from here on"),
    PatternWord("(?m)", "^ and $ match at line breaks from here on"),
    PatternWord("(?s)", ". also matches line breaks from here on"),
    PatternWord("(?U)", "lazy repetition from here on"),
    PatternWord("(?P<name>", "a group with a name"),
    PatternWord("[[:alpha:]]", "an ASCII letter"),
    PatternWord("[[:digit:]]", "a digit"),
    PatternWord("[[:alnum:]]", "an ASCII letter or digit"),
    PatternWord("[[:upper:]]", "an uppercase ASCII letter"),
    PatternWord("[[:lower:]]", "a lowercase ASCII letter"),
    PatternWord("[[:space:]]", "whitespace"),
    PatternWord("[[:punct:]]", "an ASCII punctuation mark"),
    PatternWord("[[:xdigit:]]", "a hexadecimal digit"),
    PatternWord("[[:word:]]", "the same as \\w"),
]
_JAVASCRIPT = [
    *_BOTH,
    PatternWord("(?=", "lookahead: the following text must match"),
    PatternWord("(?!", "negative lookahead: the following text must not match"),
    PatternWord("(?<=", "lookbehind: the preceding text must match"),
    PatternWord("(?<!", "negative lookbehind: the preceding text must not match"),
    PatternWord("(?<name>", "a group with a name"),
]
PATTERN_WORDS = {"regex": _RE2, "regex-js": _JAVASCRIPT}
"""The constructs by language, as in `x-language` of the schemas."""

_OPEN_PIECE = re.compile(r"(?P<escape>\\+)[a-zA-Z]?(?:\{\w*)?$|\(\??[\w<=!]*$|\[\[?:?\^?\w*$")


def piece_start(language: str, typed: str) -> int:
    """Return where the unfinished construct starts in a typed pattern, or the end of the pattern."""
    found = _OPEN_PIECE.search(typed)
    if found is None or (typed[found.start()] == "[" and language != "regex"):
        return len(typed)
    if found["escape"] is not None:
        # In a row of backslashes, every second one is escaped.
        count = len(found["escape"])
        return found.end("escape") - 1 if count % 2 else len(typed)
    return found.start()


_NAME = re.compile(r"[A-Za-z_$][\w$]*$")
_MEMBER = re.compile(r"(?P<of>[A-Za-z_]\w*)(?:\[[^\[\]]*\])?(?:\[(?P<quote>['\"])|(?P<dot>\.))(?P<word>\w*)$")
_STRINGS = {"'": re.compile(r"(?:[^'\\]|\\.)*'"), '"': re.compile(r'(?:[^"\\]|\\.)*"')}


class CodeWords(NamedTuple):
    """Suggestions that replace the typed code from `start` on."""

    start: int
    suggestions: list[Suggestion]


def code_words(schema: Schema, language: str, typed: str) -> CodeWords | None:
    """Return suggestions for the end of `typed` (unescaped code), or None if there are none."""
    if language in PATTERN_WORDS:
        start = piece_start(language, typed)
        begun = typed[start:]
        if not begun and (typed or "x-reference" in schema):
            return None  # After a letter, or in place of a name, a list of constructs would be in the way.
        fitting = [it for it in PATTERN_WORDS[language] if it.text.startswith(begun)]
        return CodeWords(start, [_word(it.text, "", it.meaning) for it in fitting])
    names: Mapping[str, Mapping[str, object]] = schema.get("x-names", {}).get(language, {})
    if not names:
        return None
    member = _MEMBER.search(typed)
    if member is not None:
        return CodeWords(member.start("word"), list(_members(names, member)))
    if _is_in_string(typed):
        return None
    begun_name = _NAME.search(typed)
    start = begun_name.start() if begun_name else len(typed)
    if typed[:start].endswith(".") or typed[start - 1 : start].isdigit():
        return None
    begun = typed[start:]
    own_first = sorted(names.items(), key=lambda it: bool(it[1].get("builtin")))
    return CodeWords(start, [_name_word(it) for it in own_first if it[0].startswith(begun)])


def _name_word(item: tuple[str, Mapping[str, object]]) -> Suggestion:
    name, about = item
    return _word(name, str(about.get("type", "")), str(about.get("description", "")))


def _members(names: Mapping[str, Mapping[str, object]], found: re.Match[str]) -> Iterator[Suggestion]:
    about = names.get(found["of"], {})
    members = about.get("members")
    wanted = "dot" if about.get("access") == "dot" else "quote"
    if isinstance(members, Mapping) and found[wanted] is not None:
        for name, kind in members.items():
            if name.startswith(found["word"]):
                yield _word(name, str(kind), f"Member of {found['of']}.")


def _is_in_string(code: str) -> bool:
    """Whether the end of the code is inside a string literal."""
    at = 0
    while at < len(code):
        if code[at] in _STRINGS:
            found = _STRINGS[code[at]].match(code, at + 1)
            if found is None:
                return True
            at = found.end()
        else:
            at += 1
    return False


def _word(text: str, kind: str, meaning: str) -> Suggestion:
    detail = " · ".join(it for it in (kind, meaning) if it)
    return Suggestion(
        SuggestionKind.WORD, text, detail=detail, note=kind, text=meaning, rank=Rank.OPTIONAL, is_literal=True
    )


_REST_OF_NAME = re.compile(r"[\w$]*")
_NOT_PLAIN_IN_BRACKETS = frozenset("[]{},")


class EmbeddedCandidates(NamedTuple):
    """The situation of the word at the cursor, and the candidates for it."""

    here: Situation
    candidates: list[Candidate]


def code_candidates(here: Situation, root: Schema, line: str) -> EmbeddedCandidates | None:
    """Return the candidates for the code at the cursor, or None if the value is not code."""
    schema = schema_at(root, here.pointer, here.data) if here.at is At.VALUE else None
    language = _language(schema, here) if schema is not None else ""
    if schema is None or not language:
        return None
    if _splits_escape(here) and not (language in PATTERN_WORDS and _is_at_end(here, line)):
        return None
    read, places = _unescape(here.typed, here.quote)
    found = code_words(schema, language, read)
    if found is None:
        return None
    (number, first), (_, last) = here.span
    cursor = first + len(here.typed)
    start = first + places[found.start]
    rest = _REST_OF_NAME.match(line, cursor, last) if language not in PATTERN_WORDS else None
    span = Span(Place(number, start), Place(number, rest.end() if rest else cursor))
    is_whole = span == here.span
    if language in PATTERN_WORDS and start == cursor and not is_whole:
        return None
    word = replace(
        here,
        span=span,
        typed=line[start:cursor],
        lead=here.lead if start == first else "",
        close=here.close if span.end.column == last else "",
    )
    fitting = [
        replace(it, is_literal=not is_whole)
        for it in found.suggestions
        if here.quote or is_whole or not (here.flow and _NOT_PLAIN_IN_BRACKETS & set(it.label))
    ]
    return EmbeddedCandidates(word, [Candidate(At.VALUE, it, here.pointer) for it in fitting])


def _language(schema: Schema, here: Situation) -> str:
    """Return the language of a value, from a sibling key (`x-language-from`) or from the schema."""
    chosen = schema.get("x-language-from")
    value: Any = here.data
    for part in here.pointer[:-2] if chosen else ():
        value = value.get(part) if isinstance(value, Mapping) else _item(value, part)
    chosen_language = value.get(chosen) if chosen and isinstance(value, Mapping) else None
    return str(chosen_language or schema.get("x-language", ""))


def _splits_escape(here: Situation) -> bool:
    """Whether the cursor is inside an escape sequence: between `''` in single quotes, or after a backslash."""
    mark = {"'": "'", '"': "\\"}.get(here.quote, "")
    return bool(mark) and (len(here.typed) - len(here.typed.rstrip(mark))) % 2 == 1


def _is_at_end(here: Situation, line: str) -> bool:
    """Whether a backslash in double quotes has nothing after it to escape."""
    cursor = here.span.start.column + len(here.typed)
    return here.quote == '"' and line[cursor : cursor + 1] in {"", '"'}


def _item(value: Any, part: str | int) -> Any:
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def _unescape(source: str, quote: str) -> tuple[str, list[int]]:
    """Return the value of the start of a scalar, and the source offset of each character and of the end."""
    text, places, at = "", [], 0
    while at < len(source):
        pair = source[at : at + 2]
        is_escape = (quote == "'" and pair == "''") or (quote == '"' and len(pair) == 2 and pair[0] == "\\")
        text += source[at] if not is_escape else pair[1] if pair[1] in "'\"\\/" else " "
        places.append(at)
        at += 2 if is_escape else 1
    return text, [*places, at]
