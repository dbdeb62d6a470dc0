"""A pattern that must not be found in any file of the workspace.

## What it looks at
The workspace as it is on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 when the pattern is found in no file that fits the glob, otherwise 0.

## Example
```yaml
type: file-not-matches
config:
  path: '**/*.{yml,yaml}'
  pattern: '(?im)^ *password: *[^ ]'
```

## Watch out
- A glob that fits no file passes: pair the check with `file-exists`.
- The pattern is JavaScript's: `^` and `$` are the ends of the whole file, with a leading `(?m)` those of a line.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.files import FileMatches


class FileNotMatchesGrader(FileMatches):
    type_name = "file-not-matches"
    negated_by_type: ClassVar[bool] = True
