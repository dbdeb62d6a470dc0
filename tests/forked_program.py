"""A program that gives its arguments and standard streams to the warm process, and ends as the command there ends.

For tests whose library starts a program. Python starts it without `site`, in a fraction of the time of our imports.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
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
    status = int(connection.recv(16) or b"1")
os._exit(status if status >= 0 else 128 - status)
