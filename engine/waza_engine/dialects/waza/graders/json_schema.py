"""Checks that the output is JSON and matches a JSON Schema.

## What it looks at
The agent's final output, which must be JSON and nothing else. With `extract_json`, the JSON may be inside other text.

## Score
All or nothing: 1.0 if the output is JSON that matches the schema, otherwise 0.0. An output without two of three
required properties scores 0.0, not 1/3.

## Errors
The run ends with an error if the schema file cannot be read, the schema does not compile or a reference cannot be
resolved, but only if the output is JSON.

## Example
```yaml
type: json_schema
name: status-report
config:
  schema:
    type: object
    required: [status]
    properties:
      status: {enum: [ok, failed]}
```

## Watch out
- Patterns in the schema are RE2: look-ahead makes the schema invalid.
- `format` is checked only with a `$schema` of draft-07 or older.
- `schema_file` and relative `$ref`s are relative to the directory where waza was started, not to the eval file.
- Without `$schema`, the draft is 2020-12, where `items` cannot be a list: use `prefixItems`.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.graders.base import (
    Demand,
    FailedCheck,
    GradeError,
    Grader,
    GraderResult,
    GradingContext,
    Scope,
)
from waza_engine.graders.json_excerpts import json_problem, json_value
from waza_engine.lib.go.json import JsonError, extract_json, read_json
from waza_engine.lib.go.text import decode
from waza_engine.lib.json_schema import SchemaError, UnknownFileError, compile_schema, schema_documents
from waza_engine.lib.paths import file_bytes
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import Flag, IfGiven, Text, is_null
from waza_engine.model.findings import Finding, Fix, RemoveKey
from waza_engine.model.schema_marks import foreign_keys, marks
from waza_engine.rules.ignored_option import IGNORED_OPTION
from waza_engine.rules.invalid_json_schema import INVALID_JSON_SCHEMA


def _schema_problem(text: str) -> str:
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"This file is not a JSON Schema (not valid JSON: {error})"
    return (
        "" if isinstance(schema, dict) else "This file is not a JSON Schema (the top level is not an object)"
    )


class JsonSchemaGrader(Grader):
    type_name = "json_schema"
    at_least_one = ("schema", "schema_file")
    demands: ClassVar = {"schema": Demand.JSON, "schema_file": Demand.JSON}
    without_file: ClassVar[str] = "the run ends with an error"
    # No output fits it, so that a forgotten schema fails the task.
    new_file: ClassVar[str | None] = '{\n  "type": "object",\n  "required": ["TODO"]\n}\n'
    requires_files: ClassVar[bool] = True

    model_config = ConfigDict(
        json_schema_extra={
            **foreign_keys({"file": "schema_file", "path": "schema_file", "schema_path": "schema_file"}),
            "x-exclusive": [["schema", "schema_file"]],
        }
    )

    schema_: Annotated[IfGiven[dict[str, Any]], BeforeValidator(plain)] = Field(
        default=None,
        alias="schema",
        description="The JSON Schema, inline. If set, `schema_file` is ignored.",
        examples=[{"type": "object", "required": ["status"]}],
    )
    schema_file: Text = Field(
        default="",
        description="File with the JSON Schema, relative to the directory where waza starts.",
        examples=["schemas/status.schema.json"],
        json_schema_extra=marks(path=("process", "file")),
    )
    extract_json: Flag = Field(
        default=False,
        description="If the output is not just JSON, look for JSON in a fenced block or anywhere in the text.",
        examples=[True],
    )

    @classmethod
    def first_demand(cls, config: Mapping[str, Any]) -> tuple[str, Demand] | None:
        # With `extract_json`, an executor that echoes the prompt may pass: the prompt may contain the JSON.
        return None if config.get("extract_json") else super().first_demand(config)

    @classmethod
    def run_files(cls, config: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
        if is_null(config.get("schema")):
            yield from super().run_files(config)

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        schema, name = config.get("schema"), config.get("schema_file")
        if is_null(schema) and isinstance(name, str):
            with contextlib.suppress(GradeError):
                schema = _read_schema(name, process_dir)
        if isinstance(schema, dict):
            yield from schema_documents(schema, process_dir)

    @classmethod
    def file_reader(cls) -> Callable[[str], str]:
        return _schema_problem

    def check(self, scope: Scope) -> Iterator[Finding]:
        if self.schema_ is None:
            return
        if self.schema_file:
            message = "'schema_file' is ignored because 'schema' is set"
            fix = Fix("Remove 'schema_file'", (RemoveKey(("schema_file",)),), preferred=True, safe=True)
            yield IGNORED_OPTION.at(("schema_file",), message, on="key", fixes=[fix])
        try:
            compile_schema(self.schema_, scope.process_dir, within=True)
        except UnknownFileError:
            return
        except SchemaError as error:
            yield INVALID_JSON_SCHEMA.at(("schema",), f"The schema does not compile: {error}", on="key")

    def grade(self, context: GradingContext) -> GraderResult:
        try:
            value = (extract_json if self.extract_json else read_json)(context.output)
        except JsonError as error:
            found = json_problem(context.output, error.stop)
            message = f"The output is not valid JSON: {error}"
            part = FailedCheck((), message, found, wanted="valid JSON", cause=message)
            return GraderResult.failed(part.message, {"error": str(error)}, parts=(part,))
        try:
            schema = compile_schema(self._schema(context.process_dir), context.process_dir)
        except SchemaError as error:
            raise GradeError(f"the schema does not compile: {error}") from error
        try:
            failure = schema.error(value)
        except SchemaError as error:
            raise GradeError(str(error)) from error
        if failure:
            option = "schema" if self.schema_ is not None else "schema_file"
            message = f"The output does not match the schema: {failure}"
            part = FailedCheck((option,), message, json_value(context.output, value, failure))
            return GraderResult.failed(part.message, {"failures": [failure]}, parts=(part,))
        return GraderResult(1.0, True, "The output matches the schema")

    def _schema(self, process_dir: Path) -> Any:
        if self.schema_ is not None:
            return self.schema_
        return _read_schema(self.schema_file, process_dir)


def _read_schema(name: str, process_dir: Path) -> dict[str, Any]:
    data = file_bytes(process_dir / name)
    if data is None:
        raise GradeError(f"cannot read the schema file {name}")
    try:
        schema = read_json(decode(data))
    except JsonError as error:
        raise GradeError(f"the schema file {name} is not valid JSON: {error}") from error
    if not isinstance(schema, dict):
        raise GradeError(f"the schema file {name} does not contain an object")
    return schema
