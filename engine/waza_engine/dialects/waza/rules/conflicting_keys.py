"""waza's check of `conflicting-keys`: prompts of tasks, and responses of mocked commands."""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.mocks import command_responses
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.conflicting_keys import both_given, conflict

APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks():
        yield from both_given(document, (*task, "inputs"), "prompt", "prompt_file")
        yield from both_given(document, (*task, "inputs"), "follow_up_prompts", "responder")
    for response in command_responses(document):
        given = {key for key, value in document.mapping(*response).items() if value is not None}
        if {"args", "args_regex"} <= given:
            yield conflict(response, "args", "args_regex")
        # An empty path is none, whereas an empty text is what the command prints.
        if "stdout" in given and document.has(*response, "fixture"):
            yield conflict(response, "stdout", "fixture")
