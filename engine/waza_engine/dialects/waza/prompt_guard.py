"""The guard of waza 0.34: a prompt that speaks of relative paths needs something in the workspace."""

from waza_engine.model.suite import Task


def prompt_refusal(task: Task) -> str:
    """Why waza does not perform a task; empty when it does."""
    if task.files or task.repos or "./" not in task.prompt:
        return ""
    return "The prompt speaks of relative paths, but the workspace is empty; add the files under inputs.files"
