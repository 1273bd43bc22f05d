"""The museum of wrong loops: each is plain code with one bug, run on the same scenarios and shown by the same screens."""
