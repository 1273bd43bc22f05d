"""Home: the scripts and the sessions there are, to open, run, filter and delete."""
