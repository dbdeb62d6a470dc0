"""A text that some file of the workspace must contain.

## What it looks at
The workspace as it is on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 when at least one file that fits the glob contains the text, otherwise 0.

## Example
```yaml
type: file-contains
config:
  path: config/*.toml
  value: debug = false
```

## Watch out
- Upper and lower case count.
- One file is enough: the others may lack the text.
- A file that cannot be read is no verdict but an error, unless another one has the text.
"""

from waza_engine.dialects.vally.graders._shared.files import FileContains


class FileContainsGrader(FileContains):
    type_name = "file-contains"
