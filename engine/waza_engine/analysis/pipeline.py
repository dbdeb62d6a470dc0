"""The check pipeline of `check_file`, the command line and the editor.

Three stages find errors: the schema, the grader types, the rules. A stage skips values that an earlier stage rejected.
Then `finish` applies the project's settings. The stages are imported late: the language server starts without them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from waza_engine.analysis.versions import adjust, may_adjust
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, MoveKey, Scope, Severity
from waza_engine.project.document import Document
from waza_engine.project.levels import Levels
from waza_engine.project.settings import UNKNOWN_RUNNER, Projects, ProjectSettings, Runner
from waza_engine.recognition.recognise import Kind, dialect, recognise
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.rules.refused_config import REFUSED_CONFIG
from waza_engine.rules.unknown_grader_type import UNKNOWN_GRADER_TYPE
from waza_engine.rules.unknown_key import UNKNOWN_KEY

if TYPE_CHECKING:
    from waza_engine.analysis.schema.checker import SchemaChecker
    from waza_engine.model.suite import GraderEntry


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The location of a checked document, the files around it, and the settings of its project.

    `levels` maps codes to the user's severities. An `excluded` document has no findings. `target` is the version of the
    runner that the project uses, empty for the newest. `extra_types` are grader types that plug-ins of the runner add.
    """

    path: Path | None = None
    scope: Scope = field(default_factory=Scope)
    files: Files = field(default_factory=Files)
    levels: Levels = field(default_factory=dict)
    excluded: bool = False
    target: str = ""
    extra_types: frozenset[str] = frozenset()


def check_context(
    path: Path | None,
    project: ProjectSettings,
    process_dir: Path | None,
    *,
    files: Files | None = None,
    defaults: ProjectSettings | None = None,
    runner: Runner = UNKNOWN_RUNNER,
) -> CheckContext:
    """Return the context of a document in its project; `defaults` apply where the project sets nothing.

    The version of the runner is the first of: the one that the project sets for the document's dialect, the default, the
    one that a package.json or lock file pins. Without any, it is the newest.
    """
    defaults = defaults or ProjectSettings()
    return CheckContext(
        path,
        Scope(path.parent if path is not None else None, process_dir),
        files if files is not None else Files(),
        {**defaults.rules, **project.rules},
        excluded=path is not None and project.excludes(path),
        target=project.target_of(runner.dialect) or defaults.target_of(runner.dialect) or runner.pinned,
        extra_types=frozenset([*project.extra_grader_types, *defaults.extra_grader_types]),
    )


def check_file(path: Path, *, process_dir: Path | None = None) -> list[Finding]:
    """Return the findings of an eval, task, trigger, project or experiment file; none for any other file.

    These are the findings of `waza-lsp check` with the settings of the file's project; they point into the data.
    Positions, suppression comments and a second document in the file are properties of the text and are ignored.
    Paths relative to the working directory of a run are resolved from `process_dir`, by default the current directory.

    Raises:
        LoadError: the file cannot be read, or is not a YAML mapping.

    """
    from waza_engine.lib.yaml.scalars import plain_with_source
    from waza_engine.project.reading import read_filled_mapping
    from waza_engine.project.suite_files import kind_named_by_eval

    path = path.absolute()
    written = read_filled_mapping(path)
    data = plain_with_source(written)
    recognised = recognise(data, path) or kind_named_by_eval(path)
    if recognised is None:
        return []
    dialect_, kind, _reason = recognised
    projects = Projects()
    context = check_context(
        path,
        projects.of(path.parent),
        process_dir or Path.cwd(),
        runner=projects.runner(path.parent, dialect_.name),
    )
    if context.excluded:
        return []
    document = Document(dialect_.name, kind.name, data, path, context.scope.process_dir, context.files)
    found = _stages(document, kind, written, context)
    finished = finish(found, dialect_.name, context, strict=kind.is_strict(data))
    return [it for it in finished if it is not None]


def _stages(document: Document, kind: Kind, written: Any, context: CheckContext) -> list[Finding]:
    """Return the findings of all stages for a whole document. The editor runs the same stages piece by piece."""
    from waza_engine.analysis.rules import check_document
    from waza_engine.analysis.schema.checker import SchemaChecker
    from waza_engine.analysis.schema.files import read_schema
    from waza_engine.analysis.schema.navigate import discriminated_values
    from waza_engine.analysis.versions import version_findings
    from waza_engine.rules.refused_config import is_explained

    schema = read_schema(kind.schema)
    found = SchemaChecker(schema).check(document.data)
    by_types = [
        it.below(pointer)
        for pointer, _ in discriminated_values(schema, schema, document.data)
        if (unknown := unknown_keys(found, pointer)) is not None
        for it in check_grader(document.dialect, _at(written, pointer), context.scope, unknown)
    ]
    place = partial(_place, document)
    condemned = {place(it) for it in (*found, *by_types) if _condemns(it)}
    versions = version_findings(document.dialect, document.kind, document.data, context.target)
    moved = moved_keys(found) | {it.pointer for it in found if it.rule is UNKNOWN_KEY}
    by_rules = [
        it
        for it in (*check_document(document), *versions)
        if place(it) not in condemned and not (it.rule.outdated and it.pointer in moved)
    ]
    found += (it for it in by_types if it.rule is not REFUSED_CONFIG or not is_explained(it, by_rules))
    return without_moot(found + by_rules, document.dialect, context, strict=kind.is_strict(document.data))


def moved_keys(findings: Iterable[Finding]) -> set[Pointer]:
    """Return the keys that unknown keys beside them take along to their new place."""
    unknown = (it for it in findings if takes_keys_along(it))
    return {change.pointer for it in unknown for change in it.fixes[0].changes if isinstance(change, MoveKey)}


def takes_keys_along(finding: Finding) -> bool:
    """Whether the first fix of an unknown key moves other keys too."""
    if finding.rule is not UNKNOWN_KEY or finding.severity is not Severity.ERROR or not finding.fixes:
        return False
    return any(isinstance(it, MoveKey) for it in finding.fixes[0].changes)


def without_moot(
    findings: list[Finding], dialect_name: str, context: CheckContext, *, strict: bool
) -> list[Finding]:
    """Drop unknown keys, except refused ones, below keys that have no effect anyway."""
    idle = [it.pointer for it in findings if it.rule is NEVER_APPLIED]
    return [
        it
        for it in findings
        if not (
            it.rule is UNKNOWN_KEY
            and any(len(it.pointer) > len(key) and it.pointer[: len(key)] == key for key in idle)
            and (adjusted := adjust(it, dialect_name, context.target, strict=strict)) is not None
            and adjusted.severity is not Severity.ERROR
        )
    ]


def _condemns(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.rule is not REFUSED_CONFIG


def _place(document: Document, finding: Finding) -> tuple[Pointer, bool]:
    """Return a finding's pointer, and whether it is on the key: findings on mappings, lists and empty values are."""
    value = document.value(*finding.pointer)
    return finding.pointer, finding.on == "key" or value is None or isinstance(value, (dict, list))


def _at(data: Any, pointer: Pointer) -> Any:
    for part in pointer:
        data = data[part]
    return data


class UnknownKeys(NamedTuple):
    """The unknown keys of a grader entry, relative to it: those that runs refuse, and those beside `type` that they ignore."""

    refused: list[Pointer]
    ignored: list[Pointer]


def unknown_keys(findings: Iterable[Finding], entry: Pointer) -> UnknownKeys | None:
    """Return the unknown keys of a grader entry; None if it has any other schema error."""
    size = len(entry)
    # Imported late: the server starts without the checks.
    from waza_engine.analysis.schema.placement import keys_of

    of_entry = [it for it in findings if it.pointer[:size] == entry]
    errors = [it for it in of_entry if it.severity is Severity.ERROR]
    if any(it.rule is not UNKNOWN_KEY for it in errors):
        return None
    ignored = (it for it in of_entry if it.rule is UNKNOWN_KEY and it.severity is Severity.WARNING)
    return UnknownKeys(
        [key[size:] for it in errors for key in keys_of(it)],
        [it.pointer[size:] for it in ignored if len(it.pointer) == size + 1],
    )


def check_grader(dialect_name: str, entry: Any, scope: Scope, unknown: UnknownKeys) -> Iterator[Finding]:
    """Yield the findings of an entry's grader type, ignoring the entry's unknown keys.

    A refused key may be a misspelt one, so findings about the options beside it as a whole are dropped.
    """
    if not isinstance(entry, dict):
        return
    from waza_engine.analysis.grader_entries import check_entry
    from waza_engine.analysis.tolerated_keys import without

    mappings, gone = [it[:-1] for it in unknown.refused], [*unknown.refused, *unknown.ignored]
    for it in check_entry(dialect_name, without(entry, gone) if gone else entry, scope):
        if not mappings or not (it.rule.needs or any(_is_about(it.pointer, mapping) for mapping in mappings)):
            yield it


def entry_errors(
    dialect_name: str, entry: "Mapping[str, Any] | GraderEntry", scope: Scope, level: str = "eval"
) -> list[Finding]:
    """Return the errors of a grader entry: by the schema of its file, then by its type.

    Runs and grading refuse such a grader, with the same message. Pointers start at the entry.
    """
    from waza_engine.analysis.grader_entries import check_raw
    from waza_engine.graders.entry import entry_data
    from waza_engine.lib.yaml.scalars import plain_with_source
    from waza_engine.model.suite import GraderEntry

    checker, schema = _entry_checker(dialect_name, level)
    if isinstance(entry, GraderEntry):
        # Loaders add keys that the file need not have.
        entry = {key: it for key, it in entry_data(entry).items() if key in schema.get("properties", ())}
    data = plain_with_source(dict(entry))
    found = checker.check_part(data, schema)
    unknown = unknown_keys(found, ())
    if unknown is not None:
        found += check_grader(dialect_name, dict(entry), scope, unknown)
    found += check_raw(dialect_name, data)
    return [it for it in found if it.severity is Severity.ERROR or it.refused]


def ignored_keys(dialect_name: str, entry: Mapping[str, Any], level: str) -> set[str]:
    """Return the unknown keys beside `type` of a grader entry that the newest version of the runner ignores."""
    from waza_engine.lib.yaml.scalars import plain_with_source

    checker, schema = _entry_checker(dialect_name, level)
    unknown = unknown_keys(checker.check_part(plain_with_source(dict(entry)), schema), ())
    return {str(key) for (key,) in unknown.ignored} if unknown is not None else set()


@cache
def _entry_checker(dialect_name: str, level: str) -> "tuple[SchemaChecker, Mapping[str, Any]]":
    """Return the checker of the files with entries of this level, and the part of their schema for entries."""
    from waza_engine.analysis.schema.checker import SchemaChecker
    from waza_engine.analysis.schema.files import read_schema
    from waza_engine.analysis.schema.navigate import child, narrow

    kinds = {str(it.runnable): it for it in dialect(dialect_name).kinds if it.graders}
    kind = kinds.get(level) or kinds["eval"]
    root = read_schema(kind.schema)
    part: Mapping[str, Any] = root
    for key in kind.graders[0]:
        lists = narrow(root, child(root, part, key, {}) or {}, [])
        part = child(root, lists, 0, []) or {}
    return SchemaChecker(root), part


def _is_about(pointer: Pointer, mapping: Pointer) -> bool:
    """Whether a finding is about a mapping with an unknown key, or a mapping above it; in a list, also inside it.

    An unknown key of the entry itself may belong into the mapping of its options.
    """
    if not mapping:
        return len(pointer) < 2
    is_above = pointer == mapping[: len(pointer)]
    return is_above or (len(mapping) > 1 and pointer[: len(mapping)] == mapping)


def finish(
    findings: Iterable[Finding], dialect_name: str, context: CheckContext, *, strict: bool = False
) -> Iterator[Finding | None]:
    """Adjust each finding to the project's target, extra grader types and levels; None drops it.

    `strict` is whether the file is read strictly (`Kind.strict_key`).

    An unchanged finding stays the same object, so that callers can cache by identity.
    """
    plain: dict[int, bool] = {}
    for found in findings:
        rule = found.rule
        # By identity: this runs for all findings at every edit.
        is_plain = plain.get(id(rule))
        if is_plain is None:
            is_plain = plain[id(rule)] = not (
                rule.opt_in
                or found.code in context.levels
                or may_adjust(found.code, dialect_name, context.target)
                or (context.extra_types and rule is UNKNOWN_GRADER_TYPE)
            )
        if is_plain and found.older is None:
            yield found
            continue
        it = adjust(found, dialect_name, context.target, strict=strict)
        if it is not None and context.extra_types and it.rule is UNKNOWN_GRADER_TYPE:
            it = _with_extra_types(it, context.extra_types)
        if it is not None and it.code in context.levels:
            level = context.levels[it.code]
            it = None if level is None else it if level is it.severity else replace(it, severity=level)
        elif it is not None and it.rule.opt_in:
            it = None
        yield it


def _with_extra_types(finding: Finding, names: frozenset[str]) -> Finding | None:
    """Drop the finding if plug-ins add its grader type; reduce it to a hint if they may."""
    if finding.open_name in names:
        return None
    is_doubtful = finding.open_name and finding.severity is not Severity.ERROR
    return replace(finding, severity=Severity.HINT) if is_doubtful else finding
