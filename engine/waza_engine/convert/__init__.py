"""From one dialect to another: a suite as files of the other dialect, with its comments, and what got lost said aloud."""

from waza_engine.convert.conversion import Conversion, Lost
from waza_engine.convert.convert import TARGETS, converted
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza

__all__ = ["TARGETS", "Conversion", "Lost", "converted", "to_vally", "to_waza"]
