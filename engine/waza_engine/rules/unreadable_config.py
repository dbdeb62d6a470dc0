"""A config that cannot be read separately from its file.

## Why
waza extracts the config of each grader and parses it separately. An alias then lacks its anchor, and an empty value in
braces becomes part of its key, so the run cannot start. In the rest of the file, and in a `config` in block style, both
are valid.

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

UNREADABLE_CONFIG = Rule("unreadable-config", "config that cannot be read separately from its file")


def unreadable_config(problem: Problem, entry: Any) -> Finding:
    """Return the finding about a problem in an entry, which is given as plain data."""
    fixes = _fixes(problem.pointer, entry)
    return UNREADABLE_CONFIG.at(problem.pointer, problem.message, refused=True, fixes=fixes)


def _fixes(pointer: Pointer, data: Any) -> Iterator[Fix]:
    """Replace the alias or the empty value by the value it stands for."""
    try:
        for part in pointer:
            data = data[part]
    except (LookupError, TypeError):
        return  # The value of a merge key is unknown; only the place of its keys is known.
    title = "Write 'null'" if data is None else "Write the value instead of the alias"
    yield Fix(title, (SetValue(pointer, data),), preferred=True)
