"""Who replies. Every model is a `core.ports.Model`; models know the core and nothing above it."""
