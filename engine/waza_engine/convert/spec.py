"""What a vally spec says that its suite, as it is loaded, does not know any more."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from waza_engine.convert.left_over import SKILL
from waza_engine.scalars import plain


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec as it is written."""

    data: Mapping[str, Any]

    def stimulus(self, index: int) -> Mapping[str, Any]:
        """The mapping of a stimulus."""
        stimuli = self.data.get("stimuli")
        return stimuli[index] if isinstance(stimuli, list) and isinstance(stimuli[index], Mapping) else {}

    def tags(self, index: int) -> dict[str, Any]:
        """The tags of a stimulus."""
        tags = plain(self.stimulus(index).get("tags"))
        return tags if isinstance(tags, dict) else {}

    @property
    def environment(self) -> Mapping[str, Any]:
        """The shared environment, if it stands in the spec itself."""
        shared = self.data.get("environment")
        return shared if isinstance(shared, Mapping) else {}

    @property
    def named_environment(self) -> str:
        """The name of a shared environment that stands elsewhere, or ""."""
        shared = plain(self.data.get("environment"))
        return shared if isinstance(shared, str) else ""

    def skill(self, otherwise: str) -> str:
        """The skill that the spec is about: the one that a conversion has noted, else the first that the agent gets."""
        tags = plain(self.data.get("tags"))
        if isinstance(tags, dict) and isinstance(tags.get(SKILL), str):
            return str(tags[SKILL])
        skills = plain(self.environment.get("skills"))
        return PurePosixPath(str(skills[0]).removesuffix("/SKILL.md")).name if skills else otherwise
