"""Checks that no workspace file matches a pattern.

## What it looks at
Files in the workspace on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 if the pattern is found in no file that matches the glob, otherwise 0.

## Example
```yaml
type: file-not-matches
config:
  path: '**/*.{yml,yaml}'
  pattern: '(?im)^ *password: *[^ ]'
```

## Watch out
- A glob that matches no file passes: pair the check with `file-exists`.
- JavaScript pattern: `^` and `$` match at the start and end of the file, or of each line with a leading `(?m)`.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.files import FileMatches


class FileNotMatchesGrader(FileMatches):
    type_name = "file-not-matches"
    negated_by_type: ClassVar[bool] = True
