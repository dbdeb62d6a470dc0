"""Quizzes, `*.quiz.yaml`: from this model come their schema, completion, hover and what loading refuses."""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.model.fields import ListOf, Text
from waza_engine.model.schema_marks import FileModel, marks


class Check(FileModel):
    """One check of an answer."""

    model_config = ConfigDict(json_schema_extra={"x-grader-entry": "question", "x-title-from": ["type"]})

    type: Text = Field(
        default="", description="What kind of check this is.", json_schema_extra=marks(required=True)
    )
    config: Any = Field(default=None, description="The options of the check.")


class Question(FileModel):
    """A question to the agent."""

    model_config = ConfigDict(
        json_schema_extra={"x-runnable": "task", "x-id-from": "id", "x-title-from": ["id"]}
    )

    id: Text = Field(description="The name of the question in results.", examples=["capital"])
    ask: Text = Field(description="What the agent is asked.", examples=["What is the capital of France?"])
    checks: ListOf[Check] = Field(default=[], description="What the answer must be like.")


class QuizFile(FileModel):
    """A list of questions."""

    model_config = ConfigDict(
        title="quiz", json_schema_extra={"x-runnable": "eval", "x-title-from": ["title"]}
    )

    title: Text = Field(description="The name of the quiz in reports.", examples=["Geography"])
    questions: ListOf[Question] = Field(description="What is asked.", min_length=1)
