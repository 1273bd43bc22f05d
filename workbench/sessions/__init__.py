"""Sessions on disk: the journal of a run, how it is written, found again after a crash, locked and listed."""
