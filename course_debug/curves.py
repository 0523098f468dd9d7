"""Loss curves: drawn with characters for a terminal, or as a picture file."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_debug.refusal import Refusal, first_line

SMOOTH = 15
CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Microsoft YaHei",
    "PingFang SC",
    "Heiti TC",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
)


def smoothed(losses: Sequence[float], width: int = SMOOTH) -> list[float]:
    """Return the running mean over the last ``width`` steps: single batches are noisy."""
    means = []
    for end in range(1, len(losses) + 1):
        window = losses[max(0, end - width) : end]
        means.append(sum(window) / len(window))
    return means


def drawn(
    losses: Mapping[str, Sequence[float]], level: float, level_name: str, width: int = 76
) -> str:
    """Draw smoothed losses over steps, one character a curve, and a line at a level to compare.

    Curves are told apart by their characters, so the chart needs no colour.
    """
    import plotext

    _empty(plotext, width, 17)
    longest = max(len(values) for values in losses.values())
    plotext.plot([1, longest], [level, level], marker="-")
    legend = []
    for (name, values), marker in zip(losses.items(), "xo*+", strict=False):
        finite = [value for value in smoothed(values) if math.isfinite(value)]
        plotext.plot(range(1, len(finite) + 1), finite, marker=marker)
        legend.append(f"{marker * 2} {name}")
    plotext.xticks(sorted({1, *(longest * quarter // 4 for quarter in range(1, 5))}))
    return _plain(plotext, [*legend, f"-- {level_name}"])


def sweep_drawn(
    rates: Sequence[float],
    losses: Sequence[float],
    level: float,
    level_name: str,
    width: int = 76,
) -> str:
    """Draw the last loss over the learning rate with characters, the rates evenly spaced."""
    import plotext

    _empty(plotext, width, 15)
    places = list(range(len(rates)))
    plotext.plot([0, len(rates) - 1], [level, level], marker="-")
    plotext.plot(places, losses, marker="o")
    plotext.xticks(places, [f"{rate:g}" for rate in rates])
    return _plain(plotext, [f"-- {level_name}"])


def _empty(plotext: Any, width: int, height: int) -> None:
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plot_size(width, height)


def _plain(plotext: Any, legend: Sequence[str]) -> str:
    """Return the chart without colour codes, under its legend.

    plotext would put the legend over the curves, and take a Chinese character for one cell wide.
    """
    lines = (line.rstrip() for line in plotext.uncolorize(plotext.build()).splitlines())
    return "\n".join(["   ".join(legend), *lines])


def picture(
    path: Path,
    losses: Mapping[str, Sequence[float]],
    level: float,
    labels: Mapping[str, str],
) -> None:
    """Write the curves as a picture (.png, .svg or .pdf), single steps faint, smoothed on top.

    Args:
        path: the file; it is written to a neighbour first and then put into place.
        losses: name -> loss of every step, in nats.
        level: the loss to compare with; ``labels["level"]`` names it.
        labels: texts for ``x``, ``y``, ``level``.

    Raises:
        Refusal: it could not be written.
    """
    figure, axes = _figure()
    for (name, values), style in zip(losses.items(), ("-", "--", ":", "-."), strict=False):
        steps = range(1, len(values) + 1)
        (line,) = axes.plot(steps, smoothed(values), style, linewidth=2, label=name)
        axes.plot(steps, values, linewidth=0.6, alpha=0.3, color=line.get_color())
    axes.axhline(level, color="0.4", linewidth=1, label=labels["level"])
    _save(figure, axes, path, labels)


def sweep_picture(
    path: Path,
    rates: Sequence[float],
    losses: Sequence[float],
    level: float,
    labels: Mapping[str, str],
) -> None:
    """Write the last loss over the learning rate, on a logarithmic axis.

    Raises:
        Refusal: it could not be written.
    """
    figure, axes = _figure()
    axes.semilogx(rates, losses, "o-", linewidth=2)
    # Plain labels: powers of ten need a minus sign that some Chinese fonts lack.
    axes.set_xticks(rates, [f"{rate:g}" for rate in rates])
    axes.minorticks_off()
    axes.axhline(level, color="0.4", linewidth=1, label=labels["level"])
    _save(figure, axes, path, labels)


def chinese_font() -> str | None:
    """Return the name of a font on this system that has Chinese characters, None without one."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in CHINESE_FONTS if name in installed), None)


def _figure() -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("agg")
    # Of a font with one weight only, matplotlib says on stderr that it takes that one.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    fonts = [chinese_font(), "DejaVu Sans"]
    matplotlib.rcParams["font.sans-serif"] = [name for name in fonts if name]
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(8, 4.5), layout="constrained", facecolor="white")


def _save(figure: Any, axes: Any, path: Path, labels: Mapping[str, str]) -> None:
    axes.set_xlabel(labels["x"])
    axes.set_ylabel(labels["y"])
    axes.grid(alpha=0.3)
    axes.legend()
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        figure.savefig(partial, dpi=150)
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise Refusal("show.picture_not_saved", path=path, reason=first_line(error)) from error
