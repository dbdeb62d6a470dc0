"""Read from a tool call which files it changes, for the tools of usual agents.

Known by their names, whatever server they come from: Copilot (`create`, `edit`, `view`, `str_replace_editor`), Claude Code
(`Write`, `Edit`, `MultiEdit`), Codex (`apply_patch`), VS Code (`create_file`, `replace_string_in_file`), Gemini
(`write_file`, `replace`) and the reference MCP server for file systems (`edit_file`, `move_file`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from waza_engine.reports.trace.patches import changes_of_patch, is_patch

Arguments = Mapping[str, Any]

_PATHS = ("path", "file_path", "filePath", "filepath", "file", "filename", "target_file", "relative_path")
_WHOLE = ("file_text", "content", "contents", "fileText", "text", "file_content", "code_edit_text")
_OLD = ("old_str", "old_string", "oldString", "oldText", "old_text", "old")
_NEW = ("new_str", "new_string", "newString", "newText", "new_text", "new")
_LISTS = ("edits", "replacements")
_PATCHES = ("input", "patch", "patch_text", "diff")

_WRITE = frozenset(["write", "create", "createfile", "newfile", "savefile", "writetofile", "fswrite"])
_EDIT = frozenset(
    [
        "edit",
        "editfile",
        "multiedit",
        "replace",
        "strreplace",
        "strreplacedit",
        "replaceinfile",
        "replacestringinfile",
        "multireplacestringinfile",
        "searchreplace",
    ]
)
_BY_COMMAND = frozenset(["strreplaceeditor", "strreplacebasededittool", "strreplaceedit", "texteditor"])
"""Tools whose argument `command` says what they do."""
_INSERT = frozenset(["insert", "insertedit"])
_APPEND = frozenset(["append", "appendfile", "appendtofile"])
_DELETE = frozenset(["delete", "deletefile", "remove", "removefile"])
_MOVE = frozenset(["move", "movefile", "rename", "renamefile"])
_PATCH = frozenset(["applypatch"])
_KNOWN = _WRITE | _EDIT | _BY_COMMAND | _INSERT | _APPEND | _DELETE | _MOVE | _PATCH
_READ = frozenset(
    [
        "read", "readfile", "readtextfile", "readmultiplefiles", "view", "cat", "open", "grep", "glob", "search", "searchfiles",
        "filesearch", "grepsearch", "rg", "find", "findfiles", "ls", "listdirectory", "listdir", "listfiles", "directorytree",
        "fetch", "fetchwebpage", "webfetch", "websearch", "googlewebsearch", "readmanyfiles", "skill", "activateskill",
        "reportintent", "think", "updatetodo", "todowrite", "todoread", "writetodos", "updateplan", "askuser", "readbash",
        "bashoutput", "killbash", "getfileinfo", "semanticsearch", "getchangedfiles", "geterrors", "loadskill",
    ]
)  # fmt: skip
"""Tools that change no file."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]")
_AFTER_SERVER = re.compile(r"__|[./:]")
"""Stands before the name of a tool: `mcp__files__write_file`, `files/write_file`, `builtin:edit`."""
_LONGEST_PATH = 1000


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A change of one file, as the call states it.

    With `whole` the file has this text afterwards, with `moved_from` the text of another file. With `is_deleted` it is
    gone. Else `new` replaces `old`: the only place, or with `everywhere` all. Without `old`, `new` comes after `line`
    (from 0), or at the end for -1.
    """

    path: str
    whole: str | None = None
    old: str = ""
    new: str = ""
    everywhere: bool = False
    line: int | None = None
    is_deleted: bool = False
    moved_from: str = ""


def edits_of(name: str, arguments: Any) -> list[FileEdit]:
    """Return the changes that a call states; empty if it states none."""
    tool = _tool(name)
    if patch := _patch_in(tool, arguments):
        found = [FileEdit(**it) for it in changes_of_patch(patch)]
        return [it for it in found if len(it.path) <= _LONGEST_PATH]
    if not isinstance(arguments, Mapping):
        return []
    if tool in _BY_COMMAND:
        tool = {"create": "create", "str_replace": "edit", "insert": "insert"}.get(
            str(arguments.get("command")), ""
        )
    return [it for it in _edits(tool, arguments) if 0 < len(it.path) <= _LONGEST_PATH and "\0" not in it.path]


def may_change_files(name: str, arguments: Any) -> bool:
    """Whether a call may change files in a way that it does not state, such as a shell command."""
    tool = _tool(name)
    if tool in _BY_COMMAND and isinstance(arguments, Mapping):
        return arguments.get("command") not in {"view", "create", "str_replace", "insert"}
    return tool not in _READ and not edits_of(name, arguments)


def path_arguments(arguments: Any) -> list[str]:
    """Return the arguments of a call that name files."""
    if not isinstance(arguments, Mapping):
        return []
    named = (arguments.get(key) for key in _PATHS)
    return [it for it in named if isinstance(it, str) and len(it) <= _LONGEST_PATH]


def _tool(name: str) -> str:
    """Return what the usual agents' names of a tool have in common: `Write`, `write_file` and `files-write_file` are `write`."""
    last = _AFTER_SERVER.split(name.strip())[-1].lower()
    plain = _NOT_IN_NAMES.sub("", last)
    if plain in _KNOWN or plain in _READ:
        return plain
    after = _NOT_IN_NAMES.sub("", last.rpartition("-")[2])
    short = after.removesuffix("file")
    return next(
        (it for it in (after, short, plain.removesuffix("file")) if it in _KNOWN or it in _READ), plain
    )


def _edits(tool: str, arguments: Arguments) -> Iterator[FileEdit]:
    path = _first(arguments, _PATHS) or ""
    whole = _first(arguments, _WHOLE)
    if tool in _WRITE and whole is not None:
        yield FileEdit(path, whole=whole)
    elif tool in _EDIT:
        yield from _replacements(path, arguments)
    elif tool in _APPEND and whole is not None:
        yield FileEdit(path, new=whole, line=-1)
    elif tool in _DELETE:
        yield FileEdit(path, is_deleted=True)
    elif tool in _INSERT:
        line, text = arguments.get("insert_line"), _first(arguments, (*_NEW, "insert_text"))
        if isinstance(line, int) and text is not None:
            yield FileEdit(path, new=text, line=max(line, 0))
    elif tool in _MOVE:
        source = _first(arguments, ("source", "old_path", "oldPath", "from"))
        target = _first(arguments, ("destination", "new_path", "newPath", "to"))
        if source and target:
            yield FileEdit(target, moved_from=source)


def _replacements(path: str, arguments: Arguments) -> Iterator[FileEdit]:
    old, new = _first(arguments, _OLD), _first(arguments, _NEW)
    if old is not None and new is not None:
        everywhere = arguments.get("replace_all") is True or arguments.get("replaceAll") is True
        yield FileEdit(path, old=old, new=new, everywhere=everywhere) if old else FileEdit(path, whole=new)
    for key in _LISTS:
        items = arguments.get(key)
        for it in items if isinstance(items, list) else ():
            if isinstance(it, Mapping):
                yield from _replacements(_first(it, _PATHS) or path, it)


def _patch_in(tool: str, arguments: Any) -> str:
    """Return the patch in the arguments of `apply_patch`, which agents also call through their shell; "" if there is none."""
    values = [arguments]
    if isinstance(arguments, Mapping):
        command = arguments.get("command", arguments.get("cmd"))
        values = [*(arguments.get(key) for key in _PATCHES if tool in _PATCH)]
        if isinstance(command, list) and command[:1] == ["apply_patch"]:
            values += command[1:2]
        elif isinstance(command, str) and command.lstrip().startswith("apply_patch"):
            values.append(command)
    return next((it for it in values if isinstance(it, str) and is_patch(it)), "")


def _first(arguments: Arguments, names: tuple[str, ...]) -> str | None:
    return next((it for name in names if isinstance(it := arguments.get(name), str)), None)
