"""Queries: the one memory of results. Knows nothing of evals.

Whatever a result is made of is an *input* (a file on disk, the text of an open file, a part of a document) or the result
of another *query*, a pure function. A query notes what it reads. Its result is kept with that, and is computed again only
when something that it read has another value: `store` says how, `disk` has the inputs, `items` the results per list item.
"""

from waza_engine.lib.queries.store import Database, Query, Statistics, derived, query

__all__ = ["Database", "Query", "Statistics", "derived", "query"]
