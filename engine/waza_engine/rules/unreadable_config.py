"""A config that cannot be read apart from its file.

## Why
waza takes the config of each grader out of its file and reads it alone. There an alias does not find its anchor, and
an empty value in braces becomes part of its key: no run can start. Elsewhere in the file, as in a `config` that is
written in lines, both are in order.

## Example
```yaml
type: text
name: is-short
config: {contains: [done], regex_match: }
```

## Instead
```yaml
type: text
name: is-short
config: {contains: [done], regex_match: null}
```
"""

from collections.abc import Iterator
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.roundtrip import Problem
from waza_engine.model.findings import Finding, Fix, Rule, SetValue

UNREADABLE_CONFIG = Rule("unreadable-config", "config that cannot be read apart from its file")


def unreadable_config(problem: Problem, entry: Any) -> Finding:
    """The finding about a problem in an entry, which stands as plain data."""
    fixes = _fixes(problem.pointer, entry)
    return UNREADABLE_CONFIG.at(problem.pointer, problem.message, refused=True, fixes=fixes)


def _fixes(pointer: Pointer, data: Any) -> Iterator[Fix]:
    """What is meant at the place, written there."""
    try:
        for part in pointer:
            data = data[part]
    except (LookupError, TypeError):
        return  # Of a merge key nothing is known but where its keys went.
    title = "Write 'null'" if data is None else "Write the value instead of the alias"
    yield Fix(title, (SetValue(pointer, data),), preferred=True)
