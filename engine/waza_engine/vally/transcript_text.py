"""What `transcript-contains`, `transcript-matches` and their `-not-` twins look at: all that the agent said."""

from waza_engine.graders.base import GradingContext
from waza_engine.vally.events import of_type, spoken_events_of


def transcript_of(context: GradingContext) -> str:
    """All messages of the agent, each on lines of its own."""
    messages = of_type(spoken_events_of(context), "assistant_message")
    return "\n".join(it for message in messages if isinstance(it := message.get("content"), str))
