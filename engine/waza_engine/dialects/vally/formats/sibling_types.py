"""Grader types of the sibling format that authors write into specs: to each of their options, our `TYPE.OPTION`.

A flag that the option needs here follows a `+`. Options that mean something else here are left out, so that no fix weakens
a check. See docs/reference/vally.md, section 14.
"""

from typing import Any

SIBLING_TYPES: dict[str, Any] = {
    "text": {
        "contains": "output-contains.substring",
        "not_contains": "output-not-contains.substring",
        "contains_cs": "output-contains.substring+case_sensitive",
        "not_contains_cs": "output-not-contains.substring+case_sensitive",
        "regex_match": "output-matches.pattern",
        "regex_not_match": "output-not-matches.pattern",
    },
    "keyword": {
        "must_contain": "output-contains.substring",
        "keywords": "output-contains.substring",
        "must_not_contain": "output-not-contains.substring",
    },
    "regex": {
        "must_match": "output-matches.pattern",
        "must_not_match": "output-not-matches.pattern",
        "pattern": "output-matches.pattern",
    },
    "file": {"must_exist": "file-exists.path", "must_not_exist": "file-not-exists.path"},
    "skill_invocation": {
        "required_skills": "skill-invocation.required",
        "forbidden_skills": "skill-invocation.disallowed",
    },
    "tool_calls": {
        "required_tools": "tool-calls.required",
        "forbidden_tools": "tool-calls.disallowed",
        "expect": "tool-calls.required",
        "max_calls": "tool-call-count.max",
    },
    "tool_constraint": {
        "expect_tools": "tool-calls.required",
        "reject_tools": "tool-calls.disallowed",
        "max_turns": "turn-count.max",
        "max_tokens": "token-budget.max",
    },
    "action_sequence": {"expected_actions": "tool-calls.sequence"},
    "behavior": {
        "max_tool_calls": "tool-call-count.max",
        "max_tokens": "token-budget.max",
        "required_tools": "tool-calls.required",
        "forbidden_tools": "tool-calls.disallowed",
    },
    "llm": {"prompt": "prompt.prompt", "model": "prompt.model"},
}
