"""Decide from trials: rates, scores, comparisons, planning, agreement. Pure functions on numbers.

The formulas are exact sums in a few lines each, checked against scipy, statsmodels and scikit-learn in the tests:
importing `scipy.stats` takes 0.6 s and 100 MB, more than the rest of the server.
"""
