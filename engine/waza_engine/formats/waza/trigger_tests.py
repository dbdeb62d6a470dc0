"""Loading the trigger tests beside an eval (docs/reference/waza-formats.md, section 6)."""

from pathlib import Path

from waza_engine.file_names import TRIGGER_TESTS
from waza_engine.findings import Pointer
from waza_engine.formats.reading import build, read_mapping
from waza_engine.formats.waza.triggers import Prompt, TriggersFile
from waza_engine.misfits import shown
from waza_engine.suite import LoadError, TriggerPrompt, TriggerTests

_LISTS = (("should_trigger_prompts", True), ("should_not_trigger_prompts", False))


def load_trigger_tests(eval_dir: Path) -> TriggerTests | None:
    """The trigger tests of the eval in `eval_dir`, None when there are none.

    Raises:
        LoadError: the file is there and cannot be used. waza says so only after all tasks have run.

    """
    path = eval_dir / TRIGGER_TESTS
    if not path.exists():
        return None
    tests = build(TriggersFile, read_mapping(path), path)
    prompts = tuple(
        _prompt(it, wanted, path, (key, index))
        for key, wanted in _LISTS
        for index, it in enumerate(getattr(tests, key))
    )
    if not prompts:
        raise LoadError(path, "There are no prompts; list some under 'should_trigger_prompts'")
    return TriggerTests(tests.skill, prompts, path)


def _prompt(entry: Prompt, wanted: bool, path: Path, pointer: Pointer) -> TriggerPrompt:
    confidence = entry.confidence or "high"
    if confidence not in {"high", "medium"}:
        message = f"'confidence' must be high or medium, not {shown(confidence)}"
        raise LoadError(path, message, (*pointer, "confidence"))
    return TriggerPrompt(entry.prompt, wanted, confidence)
