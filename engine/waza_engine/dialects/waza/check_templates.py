"""Graders that the trace viewer drafts from a selection. See docs/reference/waza-graders.md for the options."""

from waza_engine.graders.check_templates import CheckTemplate

TEMPLATES = (
    CheckTemplate(
        "output",
        "The output contains the selected text",
        "- type: text\n  name: $NAME\n  config:\n    contains_cs: [$TEXT]\n",
    ),
    CheckTemplate(
        "tool",
        "The agent uses this tool",
        "- type: tool_constraint\n  name: $NAME\n  config:\n    expect_tools:\n      - tool: $TOOL_PATTERN\n",
    ),
    CheckTemplate(
        "tool",
        "The agent does not use this tool",
        "- type: tool_constraint\n  name: $NAME\n  config:\n    reject_tools:\n      - tool: $TOOL_PATTERN\n",
    ),
    CheckTemplate(
        "line",
        "The file contains the selected text",
        "- type: file\n  name: $NAME\n  config:\n    content_patterns:\n      - path: $PATH\n        must_match: [$PATTERN]\n",
    ),
    CheckTemplate(
        "file",
        "The file exists at the end",
        "- type: file\n  name: $NAME\n  config:\n    must_exist: [$PATH]\n",
    ),
)
