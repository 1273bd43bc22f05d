"""The other side of the wire: a scenario's model as a server, for agents that are not ours."""
