"""Which command lines run tests.

See docs/reference/vally.md, section 7.7: a runner may end with status 0 without any test.
"""

import re

_RUNNERS = re.compile(
    r"""(?<![\w./-])(?:
        (?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|t)\b
      | (?:npx\s+|pnpm\s+exec\s+|yarn\s+)?(?:jest|vitest|mocha|ava|playwright\s+test)\b
      | (?:pytest|py\.test|tox|nox|rspec|phpunit|ctest)\b
      | python[\d.]*\s+-m\s+(?:pytest|unittest)\b
      | (?:go|cargo|dotnet|deno|swift|mix|flutter|dart)\s+test\b
      | (?:mvn|\./mvnw)\s.*\b(?:test|verify)\b
      | (?:gradle|\./gradlew)\s.*\b(?:test|check)\b
      | node\s+--test\b
      | make\s+(?:test|check)\b
    )""",
    re.VERBOSE,
)


def runs_tests(line: str) -> bool:
    """Whether a command line starts a test runner."""
    return _RUNNERS.search(line[:2000]) is not None
