"""Names of files that several modules look for.

Plain data: cheap to import. See docs/reference/waza-formats.md, sections 2, 6 to 8.
"""

TRIGGER_TESTS = "trigger_tests.yaml"
"""waza's trigger tests, beside the eval."""
WAZA_PROJECT = ".waza.yaml"
"""waza's settings of a project, at its root."""
SKILL_FILE = "SKILL.md"
"""What makes a folder a skill."""
AGENT_SUFFIX = ".agent.md"
"""How the files of custom agents end."""
