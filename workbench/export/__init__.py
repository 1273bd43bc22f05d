"""Runs in the forms of others: scenarios and tests, messages of three wires, pages, pictures, records, spans."""
