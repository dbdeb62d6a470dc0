"""Checks that no workspace file contains a string.

## What it looks at
Files in the workspace on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 if no file that matches the glob contains the string, otherwise 0.

## Example
```yaml
type: file-not-contains
config:
  path: 'src/**'
  value: FIXME
```

## Watch out
- A glob that matches no file passes: pair the check with `file-exists`.
- Case-sensitive.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.files import FileContains


class FileNotContainsGrader(FileContains):
    type_name = "file-not-contains"
    negated_by_type: ClassVar[bool] = True
