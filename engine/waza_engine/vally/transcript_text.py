"""What `transcript-contains`, `transcript-matches` and their `-not-` twins look at: all that the agent said."""

from typing import ClassVar

from waza_engine.graders.base import GradingContext
from waza_engine.vally.events import of_type, spoken_events_of


class OfTranscript:
    """Put before a check of the output: it then looks at all messages of the agent, each on lines of its own."""

    said_in: ClassVar[str] = "transcript"

    @classmethod
    def text_of(cls, context: GradingContext) -> str:
        messages = of_type(spoken_events_of(context), "assistant_message")
        return "\n".join(it for message in messages if isinstance(it := message.get("content"), str))
