"""Templates in the prompts of CSV datasets: tokens, syntax, functions, rendering."""
