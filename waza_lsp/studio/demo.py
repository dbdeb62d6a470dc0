"""The folder of a studio: the person's own, or for `--demo` a temporary copy of a shipped example."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.lib.paths import real_path

EXAMPLE = "release-notes"
_START_FILE = "eval.yaml"
CHANGES = {
    "name: release-notes\n": """\
# 1. One option is misspelt. Put the cursor on it and press Ctrl+. to fix it.
# 2. Click "Run all". Recordings replace the agent. One trial fails.
# 3. Click "Show the step" at a failed check to see what the agent did.
# 4. Change that check. It is graded again while you type.
name: release-notes
""",
    "  timeout: 3m\n": "  timeot: 3m\n",
    "  executor: copilot-sdk\n": "  executor: replay\n",
}
"""What the copy has instead of the example's own lines: what to try, a mistake to find, and an executor without an agent."""


@contextmanager
def opened(folder: Path | None, *, is_demo: bool) -> Iterator[tuple[Path, str]]:
    """Yield the real path of the folder, and the path in it that the page opens first. The copy is removed at the end.

    Raises:
        OSError: the copy cannot be made.

    """
    if not is_demo:
        yield real_path(folder or Path()), ""
        return
    with temporary_folder() as parent:
        root = parent / EXAMPLE
        shutil.copytree(
            _examples() / EXAMPLE, root, ignore=shutil.ignore_patterns(".*"), copy_function=shutil.copyfile
        )
        for it in (root, *root.rglob("*/")):
            # An installation may be read-only; its copy is not.
            it.chmod(0o700)
        start = root / _START_FILE
        text = start.read_text("utf-8")
        for old, new in CHANGES.items():
            text = text.replace(old, new)
        start.write_text(text, encoding="utf-8")
        yield root, _START_FILE


def _examples() -> Path:
    """Return the folder of the examples: in a wheel beside this file, in a checkout at the top."""
    inside = Path(__file__).with_name("examples")
    return inside if inside.is_dir() else Path(__file__).parents[2] / "examples"
