"""A file that cannot be read at all.

## Why
The file cannot be opened, or its bytes are no UTF-8 text. waza stops there too. A file of more than 2 MB is not checked:
no eval is as long, and looking for mistakes in it would keep you waiting.

## Example
A file saved as UTF-16, or one without read permission.

## Instead
The same file saved as UTF-8, readable for you.
"""

from waza_engine.model.findings import Rule

UNREADABLE_FILE = Rule("unreadable-file", "file that cannot be read")
