"""What may run: the tool author's surface, loading, validation, execution, and the sandbox folder of a run."""
