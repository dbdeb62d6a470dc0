r"""A pattern that must be found in some file of the workspace.

## What it looks at
The workspace as it is on disk after the run. Links are not followed, and directories do not count. Files are read as UTF-8.

## Score
1 when the pattern is found in at least one file that fits the glob, otherwise 0.

## Example
```yaml
type: file-matches
config:
  path: package.json
  pattern: '"version": "\d+\.\d+'
```

## Watch out
- The pattern is JavaScript's: `^` and `$` are the ends of the whole file, with a leading `(?m)` those of a line.
- One file is enough.
"""

from waza_engine.dialects.vally.graders._shared.files import FileMatches


class FileMatchesGrader(FileMatches):
    type_name = "file-matches"
