"""The agent workbench: watch an agent loop run, break it on purpose, keep every run as a file."""

__version__ = "0.1.0"
