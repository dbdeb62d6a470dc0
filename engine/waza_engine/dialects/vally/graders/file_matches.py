r"""Checks that a workspace file matches a pattern.

## What it looks at
Files in the workspace on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 if the pattern is found in at least one file that matches the glob, otherwise 0.

## Example
```yaml
type: file-matches
config:
  path: package.json
  pattern: '"version": "\d+\.\d+'
```

## Watch out
- JavaScript pattern: `^` and `$` match at the start and end of the file, or of each line with a leading `(?m)`.
- One matching file is enough.
"""

from waza_engine.dialects.vally.graders._shared.files import FileMatches


class FileMatchesGrader(FileMatches):
    type_name = "file-matches"
