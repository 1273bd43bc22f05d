"""What goes wrong on purpose: the catalogue, and what each kind of fault does to a request, a reply or a tool call."""
