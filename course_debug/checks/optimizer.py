"""Fourth station: the settings that nobody wrote down, because a string stood in their place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
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
        ValueError: a string that is the name of neither an optimizer nor a loss, or a thing that
            has no settings.
    """
    found = _resolve(thing) if isinstance(thing, str) else thing
    if hasattr(found, "get_config"):
        config, defaults = found.get_config(), _defaults(type(found))
    elif callable(found):
        config = defaults = _written_defaults(found)
    else:
        raise ValueError(f"{thing!r} is neither an optimizer nor a loss.")
    return [
        Setting(name, plain(value), name in defaults and plain(value) == plain(defaults[name]))
        for name, value in config.items()
        if name not in ("name", "is_legacy_optimizer")
    ]


def _defaults(kind: Any) -> dict[str, Any]:
    try:
        # A fresh object, not the signature: some defaults are only settled when it is built.
        return dict(kind().get_config())
    except TypeError:
        # It cannot be built without arguments.
        return _written_defaults(kind.__init__)


def _written_defaults(function: Callable[..., Any]) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


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
    if hasattr(value, "tolist"):
        value = value.tolist()
    return float(f"{value:.6g}") if isinstance(value, float) else value
