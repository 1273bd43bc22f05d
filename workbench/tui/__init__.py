"""The screens: the only code that knows Textual. They draw what `view` folds from events, and turn keys into commands."""
