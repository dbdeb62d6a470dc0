"""Grade work that is known to be broken, to find the checks that do not notice."""
