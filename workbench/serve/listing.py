"""What clients ask before they ask for a reply: which models there are, and what one of them can do. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from workbench import __version__
from workbench.serve.dialects import Body, Dialect
from workbench.serve.dialects.anthropic import ANTHROPIC

MODELS = "/v1/models"
PATHS = (MODELS, "/api/tags", "/api/ps", "/api/version")
"""What is asked for with GET; the name of a model may follow MODELS."""
WINDOW = 131_072
"""Tokens of context that are claimed, as a script takes any number."""
_LOADED = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Listing:
    """The one model there is: its name, and since when it is served. A client may call it by any other name."""

    name: str
    since: datetime
    native: bool
    """Whether it calls tools beside its text."""

    def page(self, path: str, dialect: Dialect) -> dict[str, Any]:
        """The body of one of PATHS, in the shape that this path has."""
        if path == "/api/version":
            return {"version": __version__}
        if path == "/api/tags":
            return {"models": [self._tag(self.name) | {"modified_at": self._stamp}]}
        if path == "/api/ps":
            until = (self.since + _LOADED).isoformat().replace("+00:00", "Z")
            return {"models": [self._tag(self.name) | {"expires_at": until, "size_vram": 0, "context_length": WINDOW}]}
        if path != MODELS:
            return self._model(path.removeprefix(f"{MODELS}/"), dialect)
        model = self._model(self.name, dialect)
        if dialect is ANTHROPIC:
            return {"data": [model], "has_more": False, "first_id": self.name, "last_id": self.name}
        return {"object": "list", "data": [model]}

    def show(self, body: Body) -> dict[str, Any] | None:
        """The body of POST /api/show; None where it names no model."""
        if not any(isinstance(body.get(key), str) and body[key] for key in ("model", "name")):
            return None
        return {
            "modelfile": "",
            "parameters": "",
            "template": "",
            "details": self._details,
            "model_info": {"general.architecture": "script", "script.context_length": WINDOW},
            "capabilities": ["completion", *(["tools"] if self.native else []), "thinking"],
            "modified_at": self._stamp,
        }

    def _model(self, name: str, dialect: Dialect) -> dict[str, Any]:
        if dialect is ANTHROPIC:
            return {"type": "model", "id": name, "display_name": name, "created_at": self._stamp}
        return {"id": name, "object": "model", "created": int(self.since.timestamp()), "owned_by": "workbench"}

    def _tag(self, name: str) -> dict[str, Any]:
        return {"name": name, "model": name, "size": 0, "digest": "", "details": self._details}

    @property
    def _details(self) -> dict[str, Any]:
        return {
            "parent_model": "",
            "format": "",
            "family": "script",
            "families": ["script"],
            "parameter_size": "",
            "quantization_level": "",
        }

    @property
    def _stamp(self) -> str:
        return self.since.isoformat().replace("+00:00", "Z")
