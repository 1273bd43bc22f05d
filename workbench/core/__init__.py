"""The pure core: what a run is, and how it moves. Standard library only; no I/O, no clock, no screen."""
