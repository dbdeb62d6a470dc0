"""Checks that a file does not exist in the workspace.

## What it looks at
Files in the workspace on disk after the run. Links are not followed, and directories do not count.

## Score
1 if no file matches the glob, otherwise 0.

## Example
```yaml
type: file-not-exists
config:
  path: '**/*.orig'
```

## Watch out
- With a typo in the path, the check always passes.
- Absolute paths and paths with `..` are rejected.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.files import FileExists


class FileNotExistsGrader(FileExists):
    type_name = "file-not-exists"
    negated_by_type: ClassVar[bool] = True
