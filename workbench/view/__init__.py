"""What a screen shows, as plain values folded from events. No screen in here."""
