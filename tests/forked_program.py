"""A program that gives its arguments and standard streams to the warm process, and ends as the command there ends.

For tests whose library starts a program. Python starts it without `site`, in a fraction of the time of our imports.
"""

import json
import os
import signal
import socket
import sys


def _end_like(status: int) -> None:
    """End with an exit status, or by the signal that ended the command."""
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(abs(status))


with socket.socket(socket.AF_UNIX) as connection:
    try:
        connection.connect(sys.argv[1])
    except ConnectionRefusedError:
        # A run inside the test process has just ended the warm one, which is its child.
        os.execv(sys.executable, [sys.executable, *sys.argv[2:]])  # noqa: S606  # no shell is needed
    request = {
        "arguments": sys.argv[2:],
        "cwd": os.getcwd(),  # noqa: PTH109  # pathlib costs more than all the rest
        "environment": dict(os.environ),
        "memory": None,
    }
    message = json.dumps(request).encode() + b"\n"
    sent = socket.send_fds(connection, [message], [0, 1, 2])
    connection.sendall(message[sent:])
    for stream in (0, 1, 2):
        os.close(stream)  # The command has them now, and closing them is up to it.
    answer = connection.makefile("rb")
    child = int(answer.readline() or b"0")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda it, _: os.kill(child, it))
    _end_like(int(answer.readline() or b"1"))
