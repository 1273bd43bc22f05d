"""Two sessions on one screen, aligned by their calls, with the place where they part first."""
