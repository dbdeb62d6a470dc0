"""Checks that a workspace file contains a string.

## What it looks at
Files in the workspace on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 if at least one file that matches the glob contains the string, otherwise 0.

## Example
```yaml
type: file-contains
config:
  path: config/*.toml
  value: debug = false
```

## Watch out
- Case-sensitive.
- One matching file is enough; the others may lack the string.
- If a file cannot be read and no other file contains the string, the result is an error, not a verdict.
"""

from waza_engine.dialects.vally.graders._shared.files import FileContains


class FileContainsGrader(FileContains):
    type_name = "file-contains"
