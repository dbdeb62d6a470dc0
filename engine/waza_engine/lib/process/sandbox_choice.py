"""The choice of a sandbox for the programs that we start for others. `sandbox` starts them in it.

Apart from it, because every process of ours reads the choice, and few start a program.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

KINDS = ("none", "bwrap", "docker")
SANDBOX_VARIABLE = "WAZA_LSP_SANDBOX"
NETWORK_VARIABLE = "WAZA_LSP_SANDBOX_NETWORK"
IMAGE_VARIABLE = "WAZA_LSP_SANDBOX_IMAGE"
WRITE_VARIABLE = "WAZA_LSP_SANDBOX_WRITE"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How programs are confined. `image` is Docker's; `write` are more folders that programs may change."""

    kind: str = "none"
    network: bool = True
    image: str = ""
    write: tuple[str, ...] = ()
    unreadable: str = ""
    """Why the choice cannot be read: then no program starts."""

    @property
    def confines(self) -> bool:
        """Whether programs are confined at all."""
        return self.kind != "none"


def sandbox_in(environment: Mapping[str, str]) -> Sandbox | None:
    """Return the sandbox that environment variables choose; None if they choose none."""
    kind = environment.get(SANDBOX_VARIABLE, "").strip()
    if not kind:
        return None
    folders = filter(None, environment.get(WRITE_VARIABLE, "").split(os.pathsep))
    network = environment.get(NETWORK_VARIABLE, "").strip().lower() not in {"off", "no", "false", "0"}
    return Sandbox(kind, network, environment.get(IMAGE_VARIABLE, ""), tuple(folders))
