"""The script editor: a TOML text, what is wrong with it, and what it comes to."""
