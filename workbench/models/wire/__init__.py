"""Live models: three wires over HTTP, each in thin parts. Only `http` knows how bytes travel."""
