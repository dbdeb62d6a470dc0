"""A file that must not be in the workspace.

## What it looks at
The workspace as it is on disk after the run. Links are not followed, and directories do not count.

## Score
1 when no file fits the glob, otherwise 0.

## Example
```yaml
type: file-not-exists
config:
  path: '**/*.orig'
```

## Watch out
- A slip in the path makes the check pass for ever.
- Absolute paths and paths with `..` are refused.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.files import FileExists


class FileNotExistsGrader(FileExists):
    type_name = "file-not-exists"
    negated_by_type: ClassVar[bool] = True
