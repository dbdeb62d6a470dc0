"""Checks that a file exists in the workspace.

## What it looks at
Files in the workspace on disk after the run. Links are not followed, and directories do not count.

## Score
1 if at least one file matches the glob, otherwise 0.

## Example
```yaml
type: file-exists
config:
  path: docs/**/*.md
```

## Watch out
- Paths start at the workspace root: `*.md` matches no files in subfolders, `**/*.md` does.
- Absolute paths and paths with `..` are rejected.
"""

from collections.abc import Sequence

from waza_engine.dialects.vally.graders._shared.files import FileExists
from waza_engine.graders.base import DraftedGrader, GradingContext
from waza_engine.graders.drafts import common_files


class FileExistsGrader(FileExists):
    type_name = "file-exists"

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        files = common_files(trials)
        return DraftedGrader("makes-its-file", files[0], cls(path=files[0])) if files else None
