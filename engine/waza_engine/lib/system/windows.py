"""The functions of Windows that Python lacks, called through ctypes. Import this on Windows only."""

import ctypes
import sys
from ctypes import wintypes

assert sys.platform == "win32"  # noqa: S101  # for the type checker, which skips the rest elsewhere

_BUFFER = 32_768
"""The longest path of Windows, in characters."""
_LIMITS_CLASS = 9
_KILL_ON_CLOSE = 0x2000
_SET_QUOTA_AND_TERMINATE = 0x0101


class _BasicLimits(ctypes.Structure):
    _fields_ = [  # as ctypes wants it
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD),
        ("scheduling", wintypes.DWORD),
    ]


class _Limits(ctypes.Structure):
    _fields_ = [
        ("basic", _BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    ]


_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
for _name in ("CreateJobObjectW", "OpenProcess"):
    getattr(_kernel, _name).restype = wintypes.HANDLE
_kernel.OpenProcess.argtypes = [wintypes.DWORD, wintypes.BOOL, wintypes.DWORD]
_kernel.CreateJobObjectW.argtypes = [ctypes.c_void_p, wintypes.LPCWSTR]
_kernel.SetInformationJobObject.argtypes = [
    *(wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD),
]
_kernel.AssignProcessToJobObject.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
_kernel.TerminateJobObject.argtypes = [wintypes.HANDLE, wintypes.UINT]
_kernel.CloseHandle.argtypes = [wintypes.HANDLE]
_kernel.GetFinalPathNameByHandleW.argtypes = [
    *(wintypes.HANDLE, wintypes.LPWSTR, wintypes.DWORD, wintypes.DWORD),
]


def final_path(handle: int) -> str:
    """Return the path of an open file, without links.

    Raises:
        OSError: the file system cannot tell it.

    """
    buffer = ctypes.create_unicode_buffer(_BUFFER)
    length = _kernel.GetFinalPathNameByHandleW(handle, buffer, _BUFFER, 0)
    if not 0 < length < _BUFFER:
        raise ctypes.WinError(ctypes.get_last_error())
    return buffer.value


def has_console() -> bool:
    """Whether this process has a console, perhaps a hidden one, which its children share."""
    return bool(_kernel.GetConsoleCP())


class Job:
    """A process and all that it starts from now on: also those whose parent has ended. All die with this process."""

    def __init__(self, pid: int) -> None:
        """Put a process into a new job.

        Raises:
            OSError: it has ended, or an outer job does not allow this.

        """
        self._handle = _required(_kernel.CreateJobObjectW(None, None))
        try:
            self._set_flags(_KILL_ON_CLOSE)
            process = _required(_kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, False, pid))
            try:
                _required(_kernel.AssignProcessToJobObject(self._handle, process))
            finally:
                _kernel.CloseHandle(process)
        except OSError:
            self._close()
            raise

    def kill(self) -> None:
        """Kill all processes of the job."""
        if self._handle:
            _kernel.TerminateJobObject(self._handle, 1)

    def release(self) -> None:
        """Let the remaining processes live."""
        if self._handle:
            self._set_flags(0)
            self._close()

    def _set_flags(self, flags: int) -> None:
        limits = _Limits(basic=_BasicLimits(flags=flags))
        size = ctypes.sizeof(limits)
        _required(_kernel.SetInformationJobObject(self._handle, _LIMITS_CLASS, ctypes.byref(limits), size))

    def _close(self) -> None:
        handle, self._handle = self._handle, 0
        _kernel.CloseHandle(handle)


def _required(result: int) -> int:
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result
