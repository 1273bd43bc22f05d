"""A transcript of any length: one widget that draws rows from a source, and the pure parts it is made of."""

from workbench.tui.transcript.search import Place
from workbench.tui.transcript.widget import Transcript

__all__ = ["Place", "Transcript"]
