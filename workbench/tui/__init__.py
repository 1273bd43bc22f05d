"""The screens: the only code that knows Textual. They draw what `view` says, and turn keys into commands."""
