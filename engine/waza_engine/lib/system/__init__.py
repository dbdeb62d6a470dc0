"""What differs between Linux, macOS and Windows: processes, owners of files, and paths of open files.

Only this package may use functions that one of the three systems lacks. `tests/test_portable.py` checks that.
"""
