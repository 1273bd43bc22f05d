"""What can be open in the bar: a text, a line, a list to choose from; a module for each thing they are about."""
