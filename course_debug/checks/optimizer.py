"""Fourth station: the settings that nobody wrote down, because a string stood in their place."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """One setting of an optimizer or a loss, and whether it is what the library chose."""

    name: str
    value: Any
    is_default: bool


def hidden_defaults(thing: Any) -> list[Setting]:
    """List the settings of an optimizer or a loss, those left at their default included.

    Args:
        thing: an optimizer or loss object, a loss function, or a string as given to ``compile``.

    Raises:
        ValueError: a string that is the name of neither an optimizer nor a loss.
    """
    found = _resolve(thing) if isinstance(thing, str) else thing
    if inspect.isfunction(found):
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(found).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        config = defaults
    else:
        config = found.get_config()
        # A fresh object, not the signature: some defaults are only settled when it is built.
        defaults = type(found)().get_config()
    return [
        Setting(name, plain(value), plain(value) == plain(defaults.get(name)))
        for name, value in config.items()
        if name not in ("name", "is_legacy_optimizer")
    ]


def _resolve(name: str) -> Any:
    import tf_keras

    for family in (tf_keras.optimizers, tf_keras.losses):
        try:
            return family.get(name)
        except ValueError:
            continue
    raise ValueError(f"{name!r} is the name of no Keras optimizer and of no Keras loss.")


def plain(value: Any) -> Any:
    """Return a configuration value as plain data; numbers stored in float32 are rounded back."""
    if isinstance(value, dict) and "class_name" in value:
        return value["class_name"]
    if hasattr(value, "item"):
        value = value.item()
    return float(f"{value:.6g}") if isinstance(value, float) else value
