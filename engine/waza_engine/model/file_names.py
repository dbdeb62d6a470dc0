"""Names of files that several modules look for (docs/reference/waza-formats.md, sections 2 and 6 to 8).

A module of its own because the server imports it at start, without pydantic.
"""

TRIGGER_TESTS = "trigger_tests.yaml"
"""waza's trigger tests, beside the eval."""
WAZA_PROJECT = ".waza.yaml"
"""waza's project settings, at the root of a project."""
SKILL_FILE = "SKILL.md"
"""The file that makes a folder a skill."""
AGENT_SUFFIX = ".agent.md"
"""The suffix of custom agent files."""
SUMMARY = "summary.json"
"""The summary of a pull request, in a folder of `waza-lsp ci run`."""
