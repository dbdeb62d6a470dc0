"""Convert the graders of a task or suite, each to those that stand in for it, and restore the originals on the way back."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.convert.graders.entries import grader_entry, load_grader, original_entry
from waza_engine.convert.graders.expectations import checks_as_vally, grader_of_constraint
from waza_engine.convert.graders.to_vally import DIFFERENCES as IN_VALLY
from waza_engine.convert.graders.to_vally import as_vally
from waza_engine.convert.graders.to_waza import DIFFERENCES as IN_WAZA
from waza_engine.convert.graders.to_waza import as_waza, required_file
from waza_engine.convert.suite import Check
from waza_engine.convert.text.kept import GRADERS, JUDGE, NAMES, STANDS_IN, WEIGHTS, digest
from waza_engine.dialects.vally.grader_names import SLUG, numbered, slug_of
from waza_engine.graders.base import Grader
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry

JUDGE_NAME = "unconverted-checks"
"""The name of the judge that stands in for checks without an equivalent, if a task has no others."""
_NUMBERED = r"( \(\d+\))?"
Item = GraderEntry | Check


@dataclass(slots=True)
class StandIns:
    """The result of converting one grader or check: the entries in the target dialect, and the part of the config each is of.

    `problem` says why there is none, `difference` how they differ in meaning. `restored` entries are originals again.
    `deleted` originals are not restored, because what stood in for them is gone. `by_itself` is the name that the way
    back gives the grader.
    """

    item: Item
    entries: list[dict[str, Any]] = field(default_factory=list)
    parts: list[Pointer] = field(default_factory=list)
    record: dict[str, Any] | None = None
    by_itself: str | None = None
    problem: str = ""
    difference: str = ""
    restored: bool = False


@dataclass(slots=True)
class Converted:
    """The graders of one list: what became of each, and the checks that are restored, by section and key.

    `overridden` are names of shared graders: the way back must not take them for names that are in use.
    """

    all: list[StandIns] = field(default_factory=list)
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    overridden: frozenset[str] = frozenset()

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The entries of the result, in order."""
        return [it for each in self.all for it in each.entries]

    def kept(self) -> dict[str, Any]:
        """Return the parts for the comment: originals, and the names that the way back would not find."""
        parts: dict[str, Any] = {}
        records = [it.record for it in self.all if it.record is not None]
        names = {
            str(it.entries[0].get("name", "")): it.item.original_name
            for it in self.all
            if it.record is None
            and it.by_itself is not None
            and isinstance(it.item, GraderEntry)
            and (it.by_itself != it.item.original_name or it.item.original_name in self.overridden)
        }
        if records:
            parts[GRADERS] = records
        if names:
            parts[NAMES] = names
        return parts


def convert_graders(
    items: Sequence[Item],
    target: str,
    kept: Mapping[str, Any],
    taken: Iterable[str],
    *,
    always_kept: bool = False,
) -> Converted:
    """Convert the items to entries of `target`, or restore those of its own that `kept` has.

    `taken` names are used elsewhere. With `always_kept` every original is kept: the way back needs all of them.
    """
    done = Converted()
    pending = _restored(items, kept, done)
    if target == "vally":
        _slug_names(pending)
    names = set(taken)
    for each in pending:
        names.update(str(it.get("name", "")) for it in each.entries if each.restored)
    names_there = kept.get(NAMES)
    original_names: Mapping[str, Any] = names_there if isinstance(names_there, Mapping) else {}
    required = _required_files(it.item for it in pending if not it.restored)
    for position, each in enumerate(pending):
        if each.restored:
            continue
        if target == "vally" and _is_unused(each.item, items):
            each.problem = "a later grader has the same name, so waza never runs it"
        else:
            _convert(each, target, names, required, original_names)
        _keep(each, target, position, always=always_kept)
    done.all = pending
    return done


def _slug_names(pending: Sequence[StandIns]) -> None:
    """Give restored graders names that vally accepts; older versions took any."""
    taken: set[str] = set()
    for each in pending:
        for index, it in enumerate(each.entries):
            if not (name := str(it.get("name") or "")):
                continue
            if name in taken or not SLUG.fullmatch(name):
                name = slug_of(name, taken)
            each.entries[index] = {**it, "name": name}
            taken.add(name)


def _is_unused(item: Item, items: Sequence[Item]) -> bool:
    """Whether waza ignores a grader: of several with the same name, or without one, it uses the last."""
    last = next(it for it in reversed(items) if isinstance(it, type(item)) and it.name == item.name)
    return isinstance(item, GraderEntry) and last is not item


def _restored(items: Sequence[Item], kept: Mapping[str, Any], done: Converted) -> list[StandIns]:
    """Put originals where their stand-ins are, or where they were."""
    by_name = {it.original_name: it for it in items if isinstance(it, GraderEntry)}
    pending = [StandIns(it) for it in items]
    position = {id(it): index for index, it in enumerate(items)}
    gone: set[int] = set()
    inserted: list[tuple[int, StandIns]] = []
    records = kept.get(GRADERS)
    for number, record in enumerate(records if isinstance(records, list) else ()):
        if not isinstance(record, dict):
            continue
        original = {key: it for key, it in record.items() if key not in {STANDS_IN, "at"}}
        standing = record.get(STANDS_IN)
        if not isinstance(standing, Mapping):
            if "type" in original:
                placeholder = StandIns(
                    GraderEntry(str(original["type"]), str(original.get("name", ""))), [original], [()]
                )
                placeholder.restored = True
                at = record.get("at")
                inserted.append((at if isinstance(at, int) else number, placeholder))
            continue
        found = [by_name.get(str(name)) for name in standing]
        label = original.get("name") or original.get("type") or original.get("key")
        if any(it is None for it in found):
            done.notes.append(f"Grader '{label}' is not restored, because what stood in for it was removed")
            continue
        if any(fingerprint(it) != standing[it.original_name] for it in found if it is not None):
            done.notes.append(f"Grader '{label}' is not restored, because what stood in for it was changed")
            continue
        first, *others = (position[id(it)] for it in found)
        gone.update(others)
        if "section" in original:
            gone.add(first)
            done.checks.setdefault(str(original["section"]), {})[str(original["key"])] = original.get("value")
        else:
            pending[first].entries, pending[first].parts, pending[first].restored = [original], [()], True
    left = [it for index, it in enumerate(pending) if index not in gone]
    for at, each in sorted(inserted, key=lambda it: it[0]):
        left.insert(min(at, len(left)), each)
    return left


def judge_of(converted: Converted, target: str, rubric: Any = ()) -> dict[str, Any]:
    """Return the grader that has a judge decide about checks of which none has an equivalent.

    Without it the task would pass whatever the agent does.
    """
    originals = [
        {"check": f"{it.item.section}.{it.item.key}", "value": it.item.value}
        if isinstance(it.item, Check)
        else original_entry(it.item, weight=False)
        for it in converted.all
    ]
    criteria = [{"criterion": str(it)} for it in rubric] if isinstance(rubric, list) else []
    vote = (
        "Call set_waza_grade_pass if all of them hold, set_waza_grade_fail if one does not."
        if target == "waza"
        else "It passes only if all of them hold."
    )
    checks = "\n".join(f"- {json.dumps(plain(it), ensure_ascii=False)}" for it in [*originals, *criteria])
    text = f"These checks have no equivalent in {target}. Judge the agent's work by them. {vote}\n{checks}\n"
    scoring = {} if target == "waza" else {"scoring": "binary"}
    return {"type": "prompt", "name": JUDGE_NAME, "config": {"prompt": text, **scoring}}


def without_judge(entries: list[GraderEntry], kept: Mapping[str, Any]) -> list[GraderEntry]:
    """Return the entries without the judge that stood in for all of them, unless it was changed."""
    judge = kept.get(JUDGE)
    standing = judge if isinstance(judge, Mapping) else {}
    return [it for it in entries if standing.get(it.original_name) != fingerprint(it)]


def fingerprint(entry: GraderEntry) -> str:
    """Return the digest of what an entry checks; not of its name and weight."""
    data = original_entry(entry, weight=False)
    data.pop("name", None)
    return fingerprint_of(data)


def fingerprint_of(data: Mapping[str, Any]) -> str:
    return digest({key: it for key, it in data.items() if key not in {"name", "weight"}})


def _convert(
    each: StandIns, target: str, names: set[str], required: Sequence[str], original_names: Mapping[str, Any]
) -> None:
    item = each.item
    try:
        converted = _graders_of(item, target, required)
    except NotConvertibleError as error:
        each.problem = str(error)
        return
    for grader, part in converted:
        each.entries.append(grader_entry(grader, ""))
        each.parts.append(part)
        table = IN_WAZA if target == "waza" else IN_VALLY
        each.difference = table.get(type(grader), each.difference)
    if isinstance(item, GraderEntry) and len(each.entries) == 1 and item.original_name in original_names:
        chosen = [str(original_names[item.original_name] or "")]
        if target == "vally" and chosen[0] and not SLUG.fullmatch(chosen[0]):
            chosen = [slug_of(chosen[0])]
        names.update(chosen)
    else:
        chosen = list(_names(each, target, names))
    each.entries = [_named(entry, name) for entry, name in zip(each.entries, chosen, strict=True)]


def _named(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        "type": entry["type"],
        **({"name": name} if name else {}),
        **{key: it for key, it in entry.items() if key != "type"},
    }


def _graders_of(item: Item, target: str, required: Sequence[str]) -> list[tuple[Grader, Pointer]]:
    if isinstance(item, Check):
        if item.constraint is None:
            return [(it, ()) for it in checks_as_vally(item.key, item.value)]
        grader = grader_of_constraint(item.constraint)
        if grader is None:
            raise NotConvertibleError(f"waza has no equivalent of the constraint '{item.key}'")
        return [(grader, ())]
    if item.turn is not None:
        raise NotConvertibleError("waza grades whole conversations; for single turns it has checkpoints")
    grader = load_grader(item)
    if target == "waza":
        return [(it, ()) for it in as_waza(grader, required)]
    return [(it.grader, it.pointer) for it in as_vally(grader)]


def _names(each: StandIns, target: str, taken: set[str]) -> Iterator[str]:
    """Yield a free name for each stand-in; vally takes slugs only, and derives the name of a grader without one."""
    item = each.item
    base = item.name if isinstance(item, Check) or target == "waza" else item.original_name
    if target == "vally":
        if (
            isinstance(item, GraderEntry)
            and len(each.entries) == 1
            and _is_derived(base, each.entries[0]["type"])
        ):
            yield ""
            return
        base = slug_of(base or (item.type if isinstance(item, GraderEntry) else item.name))
    for number, _ in enumerate(each.entries, 1):
        name = base if len(each.entries) == 1 else _numbered(base, number, target)
        wanted, count = name, 2
        while name in taken:
            name = _numbered(wanted, count, target, again=True)
            count += 1
        taken.add(name)
        yield name


def _numbered(base: str, number: int, target: str, *, again: bool = False) -> str:
    if target == "waza":
        return f"{base} ({number})" if again else f"{base} {number}"
    return numbered(base, number)


def _is_derived(name: str, kind: str) -> bool:
    """Whether a name is the one that results show for a vally grader of this type without a name."""
    return re.fullmatch(re.escape(kind) + _NUMBERED, name) is not None


def _keep(each: StandIns, target: str, position: int, *, always: bool) -> None:
    """Note the original unless converting back gives exactly it."""
    item = each.item
    if isinstance(item, Check):
        if each.entries:
            original: dict[str, Any] = {"section": item.section, "key": item.key, "value": item.value}
            each.record = {STANDS_IN: _standing(each), **original}
        return
    original = original_entry(item, weight=item.dialect == "waza")
    if not each.entries:
        each.record = {"at": position, **original}
    elif always or not _comes_back(each, target):
        if not each.entries[0].get("name"):
            each.entries[0] = _named(each.entries[0], slug_of(item.original_name or item.type))
        each.record = {STANDS_IN: _standing(each), **original}
    else:
        name = str(each.entries[0].get("name", ""))
        if target == "waza":
            each.by_itself = "" if _is_derived(name, item.type) else name
        else:
            each.by_itself = name or item.original_name


def _standing(each: StandIns) -> dict[str, str]:
    return {str(it.get("name", "")): fingerprint_of(it) for it in each.entries}


def _comes_back(each: StandIns, target: str) -> bool:
    """Whether the only stand-in converts back to exactly the original."""
    item = each.item
    if len(each.entries) != 1 or not isinstance(item, GraderEntry) or item.turn is not None or item.extras:
        return False
    [entry] = each.entries
    again = GraderEntry(entry["type"], "g", config=entry.get("config"), dialect=target)
    try:
        back = _graders_of(again, "vally" if target == "waza" else "waza", ())
    except NotConvertibleError:
        return False
    if len(back) != 1:
        return False
    made = grader_entry(back[0][0], "")
    return bool(made["type"] == item.type and made.get("config", {}) == (plain(item.config) or {}))


def _required_files(items: Iterable[Item]) -> list[str]:
    found: list[str] = []
    for item in items:
        if isinstance(item, GraderEntry) and item.dialect == "vally" and item.turn is None:
            try:
                file = required_file(load_grader(item))
            except NotConvertibleError:
                continue
            if file:
                found.append(file)
    return found


def weight_notes(converted: Converted, found: Callable[[str], float]) -> dict[str, Any]:
    """Return the weights of originals that the way back would not find: by name, with the weight `found` for its type."""
    notes: dict[str, Any] = {}
    for each in converted.all:
        item = each.item
        if each.record is not None or each.restored or not isinstance(item, GraderEntry) or not each.entries:
            continue
        entry = each.entries[0]
        if (weight := found(entry["type"])) != item.weight:
            notes[str(entry.get("name") or entry["type"])] = {"of": weight, "is": item.weight}
    return {WEIGHTS: notes} if notes else {}
