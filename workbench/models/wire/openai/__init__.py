"""The OpenAI-compatible wire: POST …/chat/completions, server-sent events."""
