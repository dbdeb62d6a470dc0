"""Situations for every kind of file: documents with a cursor, and the expected result.

Each has the id of its case: C for completion, H for hover, F for navigation and the outline.

Documents are in the layout of `layouts.py`. `…` in a result stands for whatever else was written there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

REST = "…"


@dataclass(frozen=True)
class Kind:
    """A kind of file and its parts: a root key, a map, a key with an enum value, a list of maps."""

    file: str
    root: str
    """Top-level lines without dependencies."""
    missing: str
    """Two top-level keys that no document contains."""
    other: str
    map: str
    inner: str
    """A line of that map, and an allowed sibling key."""
    inner_missing: str
    choice: tuple[str, ...] = ()
    """Lines up to a key with an enum value. Its own line is last and has no value."""
    values: tuple[str, ...] = ()
    list: str = ""
    item: tuple[str, ...] = ()
    """The lines of an item, and an allowed sibling key."""
    item_missing: str = ""
    skeleton: str = ""
    """The label of a skeleton item."""
    is_required: bool = True
    """Whether the first key of `root` is required."""
    may_be_empty: bool = True
    """Whether the file name is enough to recognise the kind."""


KINDS = [
    Kind(
        "eval.yaml",
        "name: demo\nskill: notes",
        "description",
        "version",
        "config",
        "trials_per_task: 1",
        "max_attempts",
        ("config:", "  executor:"),
        ("mock", "copilot-sdk", "replay"),
        "graders",
        ("type: text", "name: first"),
        "weight",
        "type: text",
    ),
    Kind(
        "tasks/first.yaml",
        "id: first\nname: First",
        "description",
        "golden",
        "inputs",
        "prompt: hello",
        "workdir",
        ("enabled:",),
        ("true", "false"),
        "graders",
        ("type: text", "name: first"),
        "weight",
        "type: text",
    ),
    Kind(
        "trigger_tests.yaml",
        "skill: notes\nshould_trigger_prompts: []",
        "should_not_trigger_prompts",
        "should_not_trigger_prompts",
        "",
        "",
        "",
        ("should_not_trigger_prompts:", "  - should_trigger:"),
        ("true", "false"),
        "should_not_trigger_prompts",
        ("prompt: hello",),
        "reason",
        "prompt",
    ),
    Kind(
        ".waza.yaml",
        "cache: {enabled: true}",
        "dev",
        "server",
        "defaults",
        "timeout: 120",
        "workers",
        ("defaults:", "  engine:"),
        ("copilot-sdk", "mock"),
        is_required=False,
    ),
    Kind(
        "demo.vally.yaml",
        "name: demo",
        "description",
        "version",
        "defaults",
        "runs: 1",
        "timeout",
        ("defaults:", "  executor:"),
        ("mock", "copilot-sdk"),
        "stimuli",
        ("name: first", "prompt: hello"),
        "rubric",
        "name, prompt",
        is_required=False,
    ),
    Kind(
        "demo.experiment.yaml",
        "name: demo\nevals: [a.eval.yaml]\nbaseline: base",
        "description",
        "vary",
        "overrides",
        "runs: 1",
        "timeout",
        ("overrides:", "  executor:"),
        ("mock", "copilot-sdk"),
        may_be_empty=False,
    ),
    Kind(
        ".vally.yaml",
        "suites: {}",
        "environments",
        "environments",
        "paths",
        "results: out",
        "skills",
        is_required=False,
    ),
]


@dataclass(frozen=True)
class Taken:
    """Accepting the item `label` turns the document into `after`. Without `any_layout`, dashes are indented."""

    id: str
    before: str
    label: str
    after: str
    lacks: tuple[str, ...] = ()
    any_layout: bool = True


@dataclass(frozen=True)
class Offered:
    """The expected items: `has` among others, `first` at the top. Without either, no items."""

    id: str
    before: str
    has: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    lacks: tuple[str, ...] = field(default=())


def taken(kind: Kind) -> Iterator[Taken]:
    yield from _at_root(kind)
    if kind.values:
        yield from _values(kind)
    if kind.map:
        yield from _in_map(kind)
        yield from _in_broken_text(kind)
    if kind.list:
        yield from _in_list(kind)


def offered(kind: Kind) -> Iterator[Offered]:
    root = kind.root.partition(":")[0]
    lacks = tuple(it.partition(":")[0] for it in kind.root.split("\n"))
    if kind.may_be_empty:
        yield Offered("C1", "¦", has=(root, kind.missing))
    yield Offered("C2", f"{kind.root}\n¦", has=(kind.missing,), lacks=lacks)
    yield Offered("C35", f"{kind.root}\n# a comm¦ent\n")
    yield Offered("C35", f"{kind.root} # a comm¦ent\n")
    yield Offered("C38", f"{kind.root}\n...\n¦\n")
    if kind.values:
        opening = "\n".join(kind.choice)
        yield Offered("C7", f"{kind.root}\n{opening} ¦", has=kind.values)
    if kind.map:
        inner = kind.inner.partition(":")[0]
        yield Offered("C14", f"{kind.root}\n{kind.map}:\n  ¦", has=(inner, kind.inner_missing), lacks=(root,))
        yield Offered("C15", f"{kind.root}\n{kind.map}:\n  {kind.inner}\n  ¦", lacks=(root, inner))
    if kind.list:
        keys = tuple(it.partition(":")[0] for it in kind.item)
        start = f"{kind.root}\n{kind.list}:"
        foreign = tuple(it for it in lacks if it not in keys)
        yield Offered("C20", f"{start}\n  - ¦", first=keys[:1], has=(kind.item_missing,), lacks=foreign)
        yield Offered("C24", f"{_listed(kind)}\n    ¦", has=(kind.item_missing,), lacks=(*foreign, *keys))
    if kind.file.startswith("tasks"):
        yield Offered("C36", f"{kind.root}\ninputs:\n  prompt: |\n    some wo¦rds\n    more\n")
        yield Offered("C36", f"{kind.root}\ninputs:\n  prompt: |\n    some words\n    ¦\n")


def _at_root(kind: Kind) -> Iterator[Taken]:
    new, root = kind.missing, kind.root
    yield Taken("C2", f"{root}\n¦", new, f"{root}\n{new}:{REST}")
    yield Taken("C3", f"{root}\n¦\n{_more(kind)}", new, f"{root}\n{new}:{REST}\n{_more(kind)}")
    for count in (1, 2, 3):
        begun = new[:count]
        yield Taken("C4", f"{root}\n{begun}¦\n{_more(kind)}", new, f"{root}\n{new}:{REST}\n{_more(kind)}")
    yield Taken("C5", f"{root}\n{new[:2]}¦{new[2:]}: x", kind.other, f"{root}\n{kind.other}: x")
    yield Taken("C5", f"{root}\n¦{new}: x", new, f"{root}\n{new}: x")
    yield Taken("C18", f"{root}\n    ¦", new, f"{root}\n{new}:{REST}")
    yield Taken("C37", f"{root}\n---\n¦", new, f"{root}\n---\n{new}:{REST}")
    if kind.may_be_empty:
        yield Taken("C39", "%YAML 1.2\n---\n¦", new, f"%YAML 1.2\n---\n{new}:{REST}")
    yield Taken("C46", f"{root}\n? ¦", new, f"{root}\n? {new}")
    yield Taken("C46", f"{root}\n? {new[:2]}¦\n: x", new, f"{root}\n? {new}\n: x")
    yield Taken(
        "C45",
        f'# 😀\n{root} # 😀\n"¦{new}": x # 😀',
        kind.other,
        f'# 😀\n{root} # 😀\n"{kind.other}": x # 😀',
    )


def _values(kind: Kind) -> Iterator[Taken]:
    value = kind.values[0]
    *above, line = (kind.root, *kind.choice)
    start = "\n".join(above)
    for before, after in [
        ("{} ¦", "{} {}"),
        ("{}  ¦", "{}  {}"),
        ("{} x¦yz", "{} {}"),
        ("{} xyz¦", "{} {}"),
        ("{}¦", "{} {}"),
        ("{} ¦ # why", "{} {} # why"),
        ("{} ¦# why", "{} {} # why"),
    ]:
        names = {"{}¦": "C6", "{}  ¦": "C13", "{} ¦ # why": "C11", "{} ¦# why": "C11"}
        yield Taken(
            names.get(before, "C8" if "x" in before else "C7"),
            f"{start}\n{before.format(line)}\n",
            value,
            f"{start}\n{after.format(line, value)}\n",
        )
    deeper = " " * (len(line) - len(line.lstrip(" -")) + 2)
    yield Taken("C12", f"{start}\n{line}\n{deeper}¦\n", value, f"{start}\n{line}\n{deeper}{value}\n")
    if value.isalpha() and value not in {"true", "false"}:
        for quote in "\"'":
            quoted = f"{start}\n{line} {quote}{value}{quote}\n"
            yield Taken("C9", f"{start}\n{line} {quote}¦{quote}\n", value, quoted)
            yield Taken("C9", f"{start}\n{line} {quote}x¦y{quote}\n", value, quoted)
            yield Taken("C10", f"{start}\n{line} {quote}¦\n", value, quoted)
            yield Taken("C10", f"{start}\n{line} {quote}x¦\n", value, quoted)


def _in_map(kind: Kind) -> Iterator[Taken]:
    head, new, there = f"{kind.root}\n{kind.map}:", kind.inner_missing, kind.inner
    added = f"{head}\n  {there}\n  {new}:{REST}"
    yield Taken("C14", f"{head}\n  ¦", new, f"{head}\n  {new}:{REST}")
    yield Taken("C15", f"{head}\n  {there}\n  ¦", new, added)
    yield Taken("C15", f"{head}\n  ¦\n  {there}", new, f"{head}\n  {new}:{REST}\n  {there}")
    yield Taken("C16", f"{head}\n  # why\n  ¦", new, f"{head}\n  # why\n  {new}:{REST}")
    commented = f"{head}\n  {there}\n  # why\n  {new}:{REST}"
    yield Taken("C16", f"{head}\n  {there}\n  # why\n  ¦", new, commented)
    yield Taken("C17", f"{head}\n  {there}\n   ¦", new, added)
    yield Taken("C17", f"{head}\n  {there}\n   {new[:3]}¦", new, added)
    yield Taken("C19", f"{head}\n  {there}\n\t¦", new, added)
    yield Taken("C33", f"{head} {{¦}}", new, f"{head} {{{new}:{REST}}}")
    yield Taken("C33", f"{head} {{{there}, ¦}}", new, f"{head} {{{there}, {new}:{REST}}}")
    if kind.choice and kind.choice[0] == f"{kind.map}:":
        key, value = kind.choice[1].strip(), kind.values[0]
        yield Taken("C34", f"{head} {{{key} ¦}}", value, f"{head} {{{key} {value}}}")
        yield Taken("C34", f"{head} {{{key} x¦y, a: b}}", value, f"{head} {{{key} {value}, a: b}}")
    first = there.partition(":")[0]
    before = f"{kind.root} # 😀😀\n{kind.map}: {{{first}: 😀, {new[:2]}¦}}"
    yield Taken("C45", before, new, f"{kind.root} # 😀😀\n{kind.map}: {{{first}: 😀, {new}:{REST}}}")


def _in_broken_text(kind: Kind) -> Iterator[Taken]:
    head, new, there = f"{kind.root}\n{kind.map}:", kind.inner_missing, kind.inner
    above = f'{kind.root}\ndescription: "open\n{kind.map}:'
    yield Taken("C42", f"{above}\n  ¦\n", new, f"{above}\n  {new}:{REST}\n")
    below = f"  {there}\ntags: [open"
    yield Taken("C43", f"{head}\n  ¦\n{below}\n", new, f"{head}\n  {new}:{REST}\n{below}\n")
    anchored = f"{kind.root}\nbase: &base\n  {there}\n{kind.map}:\n  <<: *base"
    first = there.partition(":")[0]
    yield Taken("C40", f"{anchored}\n  ¦", new, f"{anchored}\n  {new}:{REST}", lacks=(first,))
    lines = f"{kind.root}\n{kind.missing}: &base x\n{kind.other}: "
    yield Taken("C41", f"{lines}*¦", "base", f"{lines}*base")
    yield Taken("C41", f"{lines}*b¦", "base", f"{lines}*base")


def _in_list(kind: Kind) -> Iterator[Taken]:
    start, new = f"{kind.root}\n{kind.list}:", kind.item_missing
    key = kind.item[0].partition(":")[0]
    items = _listed(kind)
    yield Taken("C20", f"{start}\n  - ¦", key, f"{start}\n  - {key}:{REST}")
    yield Taken("C21", f"{start}\n  -¦", key, f"{start}\n  - {key}:{REST}")
    yield Taken("C20", f"{items}\n  - ¦", key, f"{items}\n  - {key}:{REST}")
    label = f"- {kind.skeleton}"
    yield Taken(
        "C23", f"{items}\n  ¦\n  - {kind.item[0]}", label, f"{items}\n  - {key}:{REST}\n  - {kind.item[0]}"
    )
    yield Taken("C22", f"{start}\n  ¦", label, f"{start}\n  - {key}:{REST}", any_layout=False)
    yield Taken("C24", f"{items}\n    ¦", new, f"{items}\n    {new}:{REST}")
    first, *others = kind.item
    between = "".join(f"\n    {it}" for it in others)
    yield Taken(
        "C24",
        f"{start}\n  - {first}\n    ¦{between}",
        new,
        f"{start}\n  - {first}\n    {new}:{REST}{between}",
    )
    yield Taken("C24", f"{items}\n    {new[:2]}¦", new, f"{items}\n    {new}:{REST}")
    yield Taken("C17", f"{items}\n     ¦", new, f"{items}\n    {new}:{REST}")
    yield Taken("C32", f"{start}\n  - {{¦}}", key, f"{start}\n  - {{{key}:{REST}}}")
    yield Taken(
        "C32", f"{start}\n  - {{{kind.item[0]}, ¦}}", new, f"{start}\n  - {{{kind.item[0]}, {new}:{REST}}}"
    )
    yield Taken("C32", f"{start} [{{¦}}]", key, f"{start} [{{{key}:{REST}}}]")


def _listed(kind: Kind) -> str:
    """Return a document that ends with an item."""
    first, *others = kind.item
    return "\n".join([kind.root, f"{kind.list}:", f"  - {first}", *(f"    {it}" for it in others)])


def _more(kind: Kind) -> str:
    return f"{kind.map}:\n  {kind.inner}" if kind.map else "# more"
