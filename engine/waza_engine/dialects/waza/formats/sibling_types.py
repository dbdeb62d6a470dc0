"""Grader types of the sibling format that authors write into evals: to each of their options, our `TYPE.OPTION`.

Options that mean something else here are left out, so that no fix weakens a check. See docs/reference/vally.md, section
13.
"""

from typing import Any

SIBLING_TYPES: dict[str, Any] = {
    "output-contains": {"substring": "text.contains", "value": "text.contains"},
    "output-not-contains": {"substring": "text.not_contains", "value": "text.not_contains"},
    "output-matches": {"pattern": "text.regex_match"},
    "output-not-matches": {"pattern": "text.regex_not_match"},
    "file-exists": {"path": "file.must_exist"},
    "file-not-exists": {"path": "file.must_not_exist"},
    "skill-invocation": {
        "required": "skill_invocation.required_skills",
        "disallowed": "skill_invocation.forbidden_skills",
    },
    "tool-calls": {"required": "tool_calls.required_tools", "disallowed": "tool_calls.forbidden_tools"},
    "tool-call-count": {"max": "behavior.max_tool_calls"},
    "token-budget": {"max": "behavior.max_tokens"},
    "run-command": {"command": "program.command", "args": "program.args"},
}
