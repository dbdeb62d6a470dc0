"""How quizzes are recognised, and what the engine asks about them. Plain data: importing it must be cheap."""

from waza_engine.recognition.dialect import Dialect, Kind
from waza_engine.recognition.evidence import FileName, Signal

DIALECT = Dialect(
    name="quiz",
    kinds=(
        Kind(
            name="quiz",
            schema="quiz/quiz",
            model="quiz_dialect.quiz_file:QuizFile",
            keys=frozenset(["title", "questions"]),
            signals=(Signal((frozenset(["title"]), frozenset(["questions"]))),),
            file_names=(FileName("*.quiz.yaml", alone=True),),
            runnable="eval",
            tasks=("questions",),
            graders=(("questions", "checks"),),
        ),
    ),
    graders=("quiz_dialect.graders",),
    load_suite="quiz_dialect.load:load_suite",
    rules="quiz_dialect.rules",
    schema_folder="quiz/",
)
