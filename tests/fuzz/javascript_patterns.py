"""Made-up patterns, read by us and by Node: `python -m tests.fuzz.javascript_patterns [SEED] [COUNT]` prints differences.

Needs Node 20. `tests/conformance/javascript-regexp-cases.json` holds answers recorded this way.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator

from waza_engine.lib.js_regex import TooSlowError
from waza_engine.lib.js_regex.matching import build_matcher
from waza_engine.lib.js_regex.parser import parse_pattern
from waza_engine.lib.js_regex.syntax import JsPatternError

_NODE = """
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const [pattern, flags, text] = JSON.parse(line)
  let answer
  try { answer = new RegExp(pattern, flags).test(text) } catch { answer = 'error' }
  console.log(JSON.stringify(answer))
})
"""


def _words(text: str) -> list[str]:
    return text.split()


_CHARACTERS = [
    *"abcABkKsS019_- .,:{}[]()|^$*+?/\\\n\r\t",
    *"\u00e9\u00c9\u00df\u1e9e\u017fK\u00b5\u039c\u03bc\u0130\u0131\u03c3\u03c2\u03a3\u01c6\u01c5\U0001f600\U0001d49c\u2028\u2029\ufeff\xa0\x85\u180e\u00c5\u00c5\ufb01\u1fb3\u1fbc\x00\x1f\u03a9\u03a9",
]
_USUAL = list("aabbABsS01_ -\u00e9\U0001f600\u03a3\u03c2\n\r\u017fK")
_ESCAPES = _words(
    r"\d \D \w \W \s \S \n \r \t \v \f \0 \x41 \u0041 \u00e9 \ud83d \ude00 \cJ \c \c1 \A \Z \z \p{L} \u{41} \x4 \101 \8 "
    r"\07 \377 \400 \- \_ \e \k \k<n> \1 \2 \3 \10 \b \B"
)
_ODD = ["(?i)", "(?P<n>a)", "(?>a)", "(", "[", "]", "{", "}", "{1}", "{,2}", "*", "(?", ")"]
_TIMES = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,1}", "{1,}", "{0}", "{1,3}?", "{,2}", "{2,1}", "**"]


class Maker:
    """Makes patterns and texts, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # the same cases again for the same seed

    def case(self) -> tuple[str, str, str]:
        """A pattern, its flags, and a text."""
        pattern = self._choice(3)
        flags = "".join(it for it in "ims" if self._random.random() < 0.35)
        text = self._text() + (pattern.replace("\\", "")[:6] if self._random.random() < 0.3 else "")
        return pattern, flags, text

    def _text(self) -> str:
        pick = self._random
        return "".join(
            pick.choice(_USUAL if pick.random() < 0.7 else _CHARACTERS) for _ in range(pick.randint(0, 10))
        )

    def _choice(self, depth: int) -> str:
        return "|".join(self._sequence(depth) for _ in range(self._random.choice([1, 1, 1, 2, 3])))

    def _sequence(self, depth: int) -> str:
        return "".join(self._term(depth) for _ in range(self._random.randint(0, 4)))

    def _term(self, depth: int) -> str:
        pick = self._random
        times = pick.choice(_TIMES) if pick.random() < 0.35 else ""
        shape = pick.random() if depth else pick.random() / 2
        if shape < 0.4:
            return self._literal() + times
        if shape < 0.55:
            return pick.choice([*_ESCAPES, ".", "^", "$"]) + times
        if shape < 0.65:
            return self._class() + times
        if shape < 0.98:
            openings = ["(", "(?:", "(?<n>", "(?=", "(?!", "(?<=", "(?<!"]
            return pick.choice(openings) + self._choice(depth - 1) + ")" + times
        return pick.choice(_ODD)

    def _literal(self) -> str:
        it = self._random.choice(_CHARACTERS)
        return f"\\{it}" if it in "{}[]()|^$*+?/\\." and self._random.random() < 0.8 else it

    def _class(self) -> str:
        return f"[{self._random.choice(['', '', '^'])}{''.join(self._members())}]"

    def _members(self) -> Iterator[str]:
        pick = self._random
        for _ in range(pick.randint(0, 4)):
            if pick.random() < 0.4:
                yield pick.choice(_ESCAPES)
            else:
                first, last = sorted(pick.choices(_CHARACTERS, k=2))
                shown = [f"\\{it}" if it in "]\\^-" else it for it in (first, last)]
                yield "-".join(shown) if pick.random() < 0.5 else shown[0]


def our_answer(pattern: str, flags: str, text: str) -> bool | str:
    """What we say: found, not found, or an error."""
    try:
        given = parse_pattern(f"(?{flags}){pattern}" if flags else pattern, leading_flags=bool(flags))
        return build_matcher(given).span(text) is not None
    except JsPatternError:
        return "error"
    except TooSlowError:
        return "too slow"


def main(seed: int, count: int) -> int:
    """Compare `count` cases; the number of differences."""
    maker = Maker(seed)
    cases = [maker.case() for _ in range(count)]
    lines = "\n".join(json.dumps(it) for it in cases)
    done = subprocess.run(["node", "-e", _NODE], input=lines, capture_output=True, text=True, check=True)
    differences = 0
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        ours, theirs = our_answer(*case), json.loads(line)
        # Groups with flags of their own are read by newer engines, and by us.
        if ours not in {theirs, "too slow"} and not (theirs == "error" and "(?" in case[0]):
            differences += 1
            sys.stdout.write(f"{json.dumps(case)}: Node says {theirs}, we say {ours}\n")
    sys.stdout.write(f"{count} cases, {differences} differences\n")
    return differences


if __name__ == "__main__":
    seed, count = (int(it) for it in (sys.argv[1:] + ["1", "20000"][len(sys.argv) - 1 :])[:2])
    sys.exit(bool(main(seed, count)))
