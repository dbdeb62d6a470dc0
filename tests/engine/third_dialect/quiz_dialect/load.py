"""From a quiz to a suite that can be run."""

from pathlib import Path

from quiz_dialect.quiz_file import QuizFile
from waza_engine.model.suite import GraderEntry, RunSettings, Suite, Task
from waza_engine.project.reading import build, read_mapping


def load_suite(path: Path, *, process_dir: Path, context_dir: Path | None = None) -> Suite:  # noqa: ARG001  # every dialect's loader takes them
    """Load a quiz.

    Raises:
        LoadError: it cannot be read, or is not of the form of a quiz.

    """
    quiz = build(QuizFile, read_mapping(path), path)
    return Suite(
        dialect="quiz",
        path=path,
        directory=path.parent.absolute(),
        name=quiz.title,
        skill="",
        settings=RunSettings(executor="mock", model="any"),
        tasks=tuple(
            Task(
                id=question.id,
                name=question.id,
                prompt=question.ask,
                graders=tuple(
                    GraderEntry(
                        type=check.type,
                        name=f"{check.type} {number}",
                        config=check.config,
                        path=path,
                        pointer=("questions", index, "checks", number),
                        dialect="quiz",
                    )
                    for number, check in enumerate(question.checks)
                ),
                path=path,
                pointer=("questions", index),
            )
            for index, question in enumerate(quiz.questions)
        ),
    )
