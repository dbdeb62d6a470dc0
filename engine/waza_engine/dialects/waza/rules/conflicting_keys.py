"""Check `conflicting-keys` in waza files: prompts of tasks and responses of mocked commands."""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.mocks import command_responses
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.conflicting_keys import conflict, conflicts

APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks_with("inputs/prompt_file", "inputs/responder"):
        yield from conflicts(document, (*task, "inputs"), "prompt", "prompt_file")
        yield from conflicts(document, (*task, "inputs"), "follow_up_prompts", "responder")
    for response in command_responses(document):
        keys = {key for key, value in document.mapping(*response).items() if value is not None}
        if {"args", "args_regex"} <= keys:
            yield conflict(response, "args", "args_regex")
        # An empty 'fixture' means no file, but an empty 'stdout' means that the command prints nothing.
        if "stdout" in keys and document.has(*response, "fixture"):
            yield conflict(response, "stdout", "fixture")
