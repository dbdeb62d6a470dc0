"""Convert a suite to files of another dialect, with its comments, and report every loss."""

from waza_engine.convert.conversion import Conversion, Lost
from waza_engine.convert.convert import TARGETS, convert_suite
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza

__all__ = ["TARGETS", "Conversion", "Lost", "convert_suite", "to_vally", "to_waza"]
