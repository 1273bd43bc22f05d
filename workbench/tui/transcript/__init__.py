"""A transcript of any length: one widget that draws rows from a source, and the pure parts it is made of."""
