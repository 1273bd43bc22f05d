"""The museum of wrong loops: plain code with one bug each, run on ordinary scenarios and shown by ordinary screens."""
