"""The pieces, one a module: `loop` is the wrong loop, and `# the bug` marks the line that is to blame."""
