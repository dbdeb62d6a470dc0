"""One studio: its folder, whether the person trusts it, and the secrets that open it."""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

TRUST_QUESTION = (
    "Do you trust the authors of the evals in this folder? Running and grading start agents, programs and assertions that "
    "the files there name."
)


class RefusedError(Exception):
    """A request that is not answered. The message is a sentence for the person; `status` is that of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Secrets:
    """The token of the printed address, which works once, and the cookie that it gives to a browser."""

    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _token: str = ""

    def new_token(self) -> str:
        """Return a token for one more browser. An unused older one is no longer valid."""
        self._token = secrets.token_urlsafe(32)
        return self._token

    def use_token(self, given: str) -> bool:
        """Return whether this is the token, and forget the token if it is."""
        is_right = bool(self._token) and _are_equal(given, self._token)
        if is_right:
            self._token = ""
        return is_right

    def is_cookie(self, given: str) -> bool:
        """Return whether this is the cookie."""
        return _are_equal(given, self.cookie)


def _are_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


@dataclass(slots=True)
class StudioSession:
    """What all tabs share. `folder` is a real path. `start_file` is the path, inside of it, that the page opens first."""

    folder: Path
    port: int
    is_trusted: bool = False
    is_demo: bool = False
    start_file: str = ""
    secrets: Secrets = field(default_factory=Secrets)
    on_trust: set[Callable[[], None]] = field(default_factory=set)
    """Called when the person begins to trust the folder: each open connection of a page has one."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The values of the header `Host` that name this server."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    @property
    def cookie_name(self) -> str:
        """The name of the cookie. Browsers send cookies to all ports of a host, so each studio has its own name."""
        return f"waza-studio-{self.port}"

    def new_address(self) -> str:
        """Return an address that opens the page once."""
        return f"http://{self.hosts[0]}/?token={self.secrets.new_token()}"

    def trust(self) -> None:
        """Trust the folder until the studio ends."""
        if not self.is_trusted:
            self.is_trusted = True
            for call in tuple(self.on_trust):
                call()
