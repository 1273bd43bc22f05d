"""The Ollama wire: POST …/api/chat, one JSON object a line."""
