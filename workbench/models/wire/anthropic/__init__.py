"""The Anthropic wire: POST …/v1/messages, server-sent events."""
