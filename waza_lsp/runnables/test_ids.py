"""What names the items of a test view: the same in the tree and in the events of runs. Opaque to clients."""

from pathlib import Path

from waza_engine.lib.pointer import Pointer


def eval_key(eval_path: Path) -> str:
    # From the path: clients escape characters of a URI in different ways.
    return eval_path.as_uri()


def task_key(eval_path: Path, task: str) -> str:
    """The key of a task."""
    return f"{eval_key(eval_path)}#task:{task}"


def grader_key(parent: str, pointer: Pointer) -> str:
    """`parent` is the key of the task or eval that the grader belongs to."""
    return f"{parent}#grader:{'/'.join(map(str, pointer))}"
