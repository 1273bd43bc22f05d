"""Scenario files: one TOML file that is a lesson, a bug report and a regression test at once."""
