"""Commands about finished runs, which are in the run store or in results files."""
