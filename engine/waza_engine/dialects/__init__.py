"""One folder per dialect of eval files. Nothing outside names one: everything is asked through `Dialect`."""
