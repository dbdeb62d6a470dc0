"""A file that cannot be read.

## Why
The file cannot be opened, or it is not UTF-8 text. waza cannot read it either. Files of more than 2 MB are not checked:
no eval is that long, and a check would take too much time.

## Example
A file saved as UTF-16, or one without read permission.

## Instead
The same file saved as UTF-8, with read permission.
"""

from waza_engine.model.findings import Rule

UNREADABLE_FILE = Rule("unreadable-file", "file that cannot be read")
