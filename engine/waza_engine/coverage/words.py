"""Reduce texts to concepts that can be compared: content words without endings, and groups of synonyms.

Deterministic and small on purpose: no model, no dictionary. `docs/coverage.md` explains it to users. Where it is coarse, texts
look more alike than they are, so that fewer clauses count as untested.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STEM_LENGTH = 6
_SHORTEST = 3
_ENDINGS = re.compile(r"(?:ations?|ments?|ings?|ers?|ors?|ies|ied|es|ed|s|ly|e|y)$")
_WITHOUT_SPACES = (
    ("\u3040", "\u30ff"),  # Japanese
    ("\u3400", "\u9fff"),  # Chinese
    ("\uac00", "\ud7af"),  # Korean
    ("\u0e00", "\u0eff"),  # Thai, Lao
)
_IGNORED = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "an",
        "and",
        "any",
        "anything",
        "are",
        "as",
        "asked",
        "asks",
        "at",
        "be",
        "been",
        "before",
        "being",
        "but",
        "by",
        "can",
        "cannot",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "each",
        "either",
        "else",
        "etc",
        "every",
        "everything",
        "existing",
        "for",
        "from",
        "get",
        "gets",
        "getting",
        "give",
        "given",
        "gives",
        "go",
        "had",
        "has",
        "have",
        "having",
        "he",
        "help",
        "helps",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "inside",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "kind",
        "kinds",
        "let",
        "lets",
        "like",
        "look",
        "looks",
        "made",
        "make",
        "makes",
        "making",
        "many",
        "may",
        "me",
        "might",
        "more",
        "most",
        "much",
        "must",
        "my",
        "need",
        "needs",
        "never",
        "new",
        "no",
        "none",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "onto",
        "or",
        "other",
        "others",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "per",
        "please",
        "request",
        "requests",
        "same",
        "says",
        "shall",
        "she",
        "should",
        "show",
        "shows",
        "skill",
        "skills",
        "so",
        "some",
        "someone",
        "something",
        "such",
        "sure",
        "take",
        "task",
        "tasks",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "things",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "use",
        "used",
        "user",
        "users",
        "uses",
        "using",
        "very",
        "via",
        "want",
        "wanted",
        "wants",
        "was",
        "way",
        "we",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whole",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "within",
        "without",
        "work",
        "works",
        "would",
        "yes",
        "yet",
        "you",
        "your",
        "yours",
    ]
)
CREATING = "create"
"""The concept of verbs that tell nearly nothing: write, make, add."""
_SYNONYMS = {
    CREATING: "add author build compose create draft generate generation prepare produce set start write written",
    "fix": """bug broken correct crash debug debugging defect diagnose error exception fail failing failure fault fix
              incident issue problem repair resolve solve solution traceback troubleshoot wrong""",
    "explain": "clarify comprehend describe description explain explanation meaning mean understand walk",
    "summary": "brief condense digest recap short shorten summarise summarize summary tldr",
    "remove": "clean cleanup delete drop erase purge remove removal uninstall",
    "change": "adjust alter change edit modify refactor rename restructure revise rewrite update upgrade",
    "deploy": "deploy launch promote publish release roll rollout ship",
    "check": "assess audit check evaluate evaluation inspect review validate validation verify verification",
    "test": "pytest spec test unittest",
    "document": "doc docs document docstring docx documentation guide manual readme",
    "translate": "convert conversion migrate migration port translate translation",
    "find": "discover find found locate search",
    "speed": "fast latency optimise optimize performance profile slow speed",
    "code": "code class function method program script source",
    "database": "database db mysql postgres postgresql query sql sqlite",
    "picture": "chart diagram drawing figure graph image photo picture plot",
    "install": "configure configuration install setup",
    "money": "bill billing budget cost invoice pay payment price refund",
    "message": "email mail message reply",
    "meeting": "appointment calendar meeting schedule",
    "security": "cve exploit secret secure security vulnerability",
    "count": "arithmetic calculate calculation compute count math sum",
    "weather": "forecast rain sunny temperature weather",
    "spreadsheet": "excel sheet spreadsheet workbook xls xlsx",
    "javascript": "javascript js typescript ts",
    "python": "py python",
    "food": "cook cooking dish food meal recipe",
}


def concepts(text: str) -> frozenset[str]:
    """Return the concepts of a text."""
    return frozenset(it for word in _words(text) for it in _concepts_of(word))


def _words(text: str) -> Iterator[str]:
    for found in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        yield from (it.casefold() for it in _CAMEL.split(found[0]))


@lru_cache(maxsize=4096)
def _concepts_of(word: str) -> tuple[str, ...]:
    if any(first <= letter <= last for letter in word for first, last in _WITHOUT_SPACES):
        # Pairs of letters: these languages write no blanks between words, or join endings to them.
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    if word in _IGNORED or (len(word) == 1 and not word.isdigit()):
        return ()
    stem = _stem(word)
    return (_GROUPS.get(word) or _GROUPS.get(stem) or stem,)


def _stem(word: str) -> str:
    """Return a word without its ending, at most its first letters: `deployments` and `deploying` are `deploy`."""
    stem = word
    for _ in range(2):
        found = _ENDINGS.search(stem)
        if found is None or found.start() < _SHORTEST:
            break
        stem = stem[: found.start()]
    if len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem[-1] not in "ls":
        stem = stem[:-1]
    return stem[:_STEM_LENGTH]


_GROUPS = {
    form: name for name, words in _SYNONYMS.items() for it in words.split() for form in (it, _stem(it))
}
