"""The `hooks` section of an eval: commands around the run (docs/reference/waza-formats.md, section 4.3)."""

from pydantic import ConfigDict, Field

from waza_engine.model.fields import Flag, Integer, ListOf, Text
from waza_engine.model.schema_marks import FileModel, foreign_keys, marks


class Hook(FileModel):
    """A command around the run or around each task."""

    model_config = ConfigDict(
        json_schema_extra={"x-text-as": "command"}
        | foreign_keys(  # noqa: S604  # `shell` is a key of a hook here
            {
                "cmd": "command",
                "run": "command",
                "script": "command",
                "cwd": "working_directory",
                "working_dir": "working_directory",
                "workdir": "working_directory",
                "exit_code": "exit_codes",
                "fail_on_error": "error_on_fail",
            },
            timeout="Hooks have no time limit",
            name="Hooks have no name",
            shell="Hooks do not use a shell. Put the command into a script file and start that",
        )
    )

    command: Text = Field(
        min_length=1,
        description=(
            "Program and arguments, split at whitespace and started directly. There is no shell: quotes, pipes, `&&` "
            "and variables are passed to the program unchanged."
        ),
        examples=["python3 scripts/prepare.py"],
    )
    working_directory: Text = Field(
        default="",
        description="Working directory, relative to the directory where the run starts (not to this file).",
        examples=["scripts"],
        json_schema_extra=marks(path=("process", "directory")),
    )
    exit_codes: ListOf[Integer] = Field(
        default=[0],
        description="Exit codes that count as success. If set, 0 counts only if it is listed.",
        examples=[[0, 3]],
    )
    error_on_fail: Flag = Field(
        default=False,
        description="If true, a failure before the run ends the run, and one before a task fails the task. Otherwise failures are warnings.",
        examples=[True],
    )


class Hooks(FileModel):
    """Commands that run before and after the whole run and each task."""

    before_run: ListOf[Hook] = Field(
        default=[], description="Commands before the first task.", examples=[[{"command": "make fixtures"}]]
    )
    after_run: ListOf[Hook] = Field(
        default=[],
        description="Commands after the last task, also if the run failed. A failure is only a warning.",
        examples=[[{"command": "make clean"}]],
    )
    before_task: ListOf[Hook] = Field(
        default=[], description="Commands before each task.", examples=[[{"command": "python3 reset.py"}]]
    )
    after_task: ListOf[Hook] = Field(
        default=[],
        description="Commands after each task. A failure is only a warning.",
        examples=[[{"command": "python3 collect.py"}]],
    )
