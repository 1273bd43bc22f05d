"""JSON that people read and that does nothing to a terminal or an editor."""

from __future__ import annotations

import json
import re
from typing import Any

_UNSEEN = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
"""What steers, hides or cannot be encoded; JSON can say all of it as an escape."""


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """The value as strict JSON text; NaN and infinities as the words for them."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        text = json.dumps(_without_nan(value), ensure_ascii=False, indent=indent)
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0:
        return str(value)
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list | tuple) else value
