"""Read rubrics of `prompt` graders: built in, or files of the project (docs/reference/waza-graders.md, section 5.6.3).

A legacy grader's rubric is a file's path, relative to the working directory, or else the text itself.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from waza_engine.lib.files.safe_read import regular_text
from waza_engine.lib.queries.disk import note_read
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.model.fields import ListOf, Text
from waza_engine.model.pydantic_messages import first_problem_text

_MAX_BYTES = 1_000_000
_NUMBER = "(0|[1-9][0-9]*)"
_PRE_RELEASE = f"({_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD = "[0-9A-Za-z-]+"
_SEMANTIC_VERSION = (
    rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE_RELEASE}(\.{_PRE_RELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?$"
)
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)(.*)", re.DOTALL | re.MULTILINE)


class RubricError(Exception):
    """The rubric does not exist or is invalid; the message says what to do."""


Filled = Annotated[Text, StringConstraints(min_length=1)]


class Golden(BaseModel):
    """An example of a rubric: an output and the expected verdict."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    name: Filled
    output: Filled
    expected: Literal["pass", "fail"]
    input: Text = ""
    context: Text = ""


class _FrontMatter(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    name: Filled
    version: Annotated[Text, StringConstraints(pattern=_SEMANTIC_VERSION)]
    scale: Literal["pass-fail", "1-5"]
    description: Filled
    goldens: ListOf[Golden] = []


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric. The judge gets only `body`; `source` is `builtin` or the file's path.

    The scale is only reported; it has no effect on the score.
    """

    name: str
    version: str
    scale: str
    description: str
    body: str
    source: str
    goldens: tuple[Golden, ...] = ()

    def facts(self) -> dict[str, str]:
        """Return the members that results report."""
        return {"name": self.name, "version": self.version, "scale": self.scale, "source": self.source}


def built_in_rubrics() -> Mapping[str, Rubric]:
    """Return the built-in rubrics by name."""
    resources = sorted((it for it in _built_in_files() if it.name.endswith(".md")), key=lambda it: it.name)
    rubrics = [parse_rubric(it.read_text("utf-8"), "builtin") for it in resources]
    return {it.name: it for it in rubrics}


def built_in_names() -> list[str]:
    """Return the names of the built-in rubrics, without reading them."""
    return sorted(it.name.removesuffix(".md") for it in _built_in_files() if it.name.endswith(".md"))


def is_rubric_path(reference: str) -> bool:
    """Whether `reference` is a path rather than the name of a built-in rubric."""
    name = reference.strip()
    return name.endswith(".md") or name.startswith((".", "/", "~")) or "/" in name or "\\" in name


def rubric_path(reference: str, process_dir: Path) -> Path:
    """Return the file of a `reference` that is a path."""
    return process_dir / _expand_home(reference.strip())


def load_rubric(reference: str, process_dir: Path) -> Rubric:
    """Return the rubric that `reference` names; paths are relative to `process_dir`.

    Raises:
        RubricError: the rubric does not exist, or the file is not a rubric.

    """
    name = reference.strip()
    if not is_rubric_path(name):
        rubrics = built_in_rubrics()
        if name not in rubrics:
            raise RubricError(
                f"Unknown rubric '{name}'. Built-in rubrics: {', '.join(rubrics)}. For a file, write a path or end the name with '.md'"
            )
        return rubrics[name]
    path = rubric_path(name, process_dir)
    note_read(path)
    try:
        text = regular_text(path, limit=_MAX_BYTES)
    except (OSError, ValueError) as error:
        raise RubricError(f"The rubric {path} cannot be read: {error}") from error
    try:
        return parse_rubric(text, str(path))
    except RubricError as error:
        raise RubricError(f"The rubric {path} cannot be used: {error}") from error


def parse_rubric(text: str, source: str) -> Rubric:
    """Parse a rubric: front matter between two `---` lines, then the body.

    Raises:
        RubricError: a part is missing or wrong.

    """
    match = _FRONT_MATTER.match(text.removeprefix("\ufeff"))
    if not match:
        raise RubricError("it does not start with front matter between two '---' lines")
    try:
        front = _FrontMatter.model_validate(read_yaml(match[1]))
    except YamlError as error:
        raise RubricError(f"its front matter is not valid YAML: {error}") from error
    except ValidationError as error:
        raise RubricError(first_problem_text(error, "front matter")) from error
    body = match[2].strip()
    if not body:
        raise RubricError("it has no text after the front matter")
    return Rubric(
        front.name, front.version, front.scale, front.description, body, source, tuple(front.goldens)
    )


def _expand_home(name: str) -> Path:
    # waza expands only `~`, not `~other`.
    if name == "~" or name.startswith(("~/", "~\\")):
        return Path.home() / name[2:]
    return Path(name)


def _built_in_files() -> list[Path]:
    # Not `importlib.resources`: its import takes longer than a check of the entry.
    return list(Path(__file__).parent.iterdir())


def rubric_text(rubric: str, process_dir: Path) -> str:
    """Return the rubric's text for the judge.

    Raises:
        RubricError: the rubric is the path of a directory.

    """
    try:
        path = process_dir / rubric
        if rubric and path.is_dir():
            raise RubricError(
                f"The rubric '{rubric}' is a directory. Write the path of a file, or the text of the rubric"
            )
        return regular_text(path, limit=_MAX_BYTES) if path.is_file() else rubric
    except (OSError, ValueError):  # too long for a file name, or not UTF-8: it is the rubric itself
        return rubric


def rubric_files(rubric: Any, process_dir: Path) -> Iterator[Path]:
    """Yield the file that grading reads if it exists."""
    if isinstance(rubric, str):  # if it is the rubric itself, no file has that name
        yield process_dir / rubric
