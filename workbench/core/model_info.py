"""The model of a run in its plain form, as it stands in `settings_changed` events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from workbench.core.values import ModelInfo, Prices

_KINDS: dict[str, tuple[type, ...]] = {
    "use": (str,),
    "name": (str,),
    "base_url": (str,),
    "shown": (str,),
    "free": (bool,),
    "context_window": (int,),
    "table": (dict,),
}


def model_to(info: ModelInfo) -> dict[str, Any]:
    """The plain form of a model; what is not known is left out."""
    plain = {name: value for name, value in asdict(info).items() if value not in (None, "", {})}
    if info.prices is not None:
        plain["prices"] = {name: figure for name, figure in plain["prices"].items() if figure is not None}
    return plain


def model_from(values: Any) -> ModelInfo:
    """The model of that plain form. Raises ValueError when it is none."""
    use = values.get("use") if isinstance(values, Mapping) else None
    if use is None:
        raise ValueError(f"model is a table with use, not {values!r:.80}")
    known = {item.name for item in fields(ModelInfo)}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"model has no key {name!r}")
        if name in _KINDS and (type(value) not in _KINDS[name]):
            raise ValueError(f"model.{name} is {value!r:.80}")
    given = dict(values)
    given.setdefault("shown", values["use"])
    if "prices" in given:
        given["prices"] = _prices(given["prices"])
    return ModelInfo(**given)


def _prices(values: Any) -> Prices:
    figures = values.values() if isinstance(values, Mapping) else [None]
    if any(isinstance(figure, bool) or not isinstance(figure, int | float) for figure in figures):
        raise ValueError(f"model.prices is a table of figures, not {values!r:.80}")
    try:
        return Prices(**values)
    except TypeError:
        raise ValueError(f"model.prices needs input and output, not {values!r:.80}") from None
