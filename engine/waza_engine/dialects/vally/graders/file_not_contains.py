"""A text that no file of the workspace may contain.

## What it looks at
The workspace as it is on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 when no file that fits the glob contains the text, otherwise 0.

## Example
```yaml
type: file-not-contains
config:
  path: 'src/**'
  value: FIXME
```

## Watch out
- A glob that fits no file passes: pair the check with `file-exists`.
- Upper and lower case count.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.files import FileContains


class FileNotContainsGrader(FileContains):
    type_name = "file-not-contains"
    negated_by_type: ClassVar[bool] = True
