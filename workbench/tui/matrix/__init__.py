"""The fault matrix on the screen: a grid of cells, each of them a run that can be opened."""
