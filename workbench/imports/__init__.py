"""Logs of other agents, in the shapes that people have them, as sessions of the workbench."""
