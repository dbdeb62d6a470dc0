"""Graders that the trace viewer drafts from a selection. See docs/reference/vally-newest.md for the options."""

from waza_engine.graders.check_templates import CheckTemplate

TEMPLATES = (
    CheckTemplate(
        "output",
        "The output contains the selected text",
        "- type: output-contains\n  name: $NAME\n  config:\n    substring: $TEXT\n",
    ),
    CheckTemplate(
        "tool",
        "The agent uses this tool",
        "- type: tool-calls\n  name: $NAME\n  config:\n    required:\n      - name: $TOOL_PATTERN\n",
    ),
    CheckTemplate(
        "tool",
        "The agent does not use this tool",
        "- type: tool-calls\n  name: $NAME\n  config:\n    disallowed: [$TOOL_PATTERN]\n",
    ),
    CheckTemplate(
        "line",
        "The file contains the selected text",
        "- type: file-contains\n  name: $NAME\n  config:\n    path: $PATH\n    value: $TEXT\n",
    ),
    CheckTemplate(
        "file",
        "The file exists at the end",
        "- type: file-exists\n  name: $NAME\n  config:\n    path: $PATH\n",
    ),
)
