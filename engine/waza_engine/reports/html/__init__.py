"""HTML reports: Python modules prepare the values, Jinja templates lay them out."""
