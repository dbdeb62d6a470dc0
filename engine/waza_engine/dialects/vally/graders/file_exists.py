"""A file that must be in the workspace.

## What it looks at
The workspace as it is on disk after the run. Links are not followed, and directories do not count.

## Score
1 when at least one file fits the glob, otherwise 0.

## Example
```yaml
type: file-exists
config:
  path: docs/**/*.md
```

## Watch out
- A name without a glob is a path from the root of the workspace: `*.md` finds no file in a folder, `**/*.md` does.
- Absolute paths and paths with `..` are refused.
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
