"""``python -m course_debug``: the road, how long each stage takes, and where to go next."""

from __future__ import annotations

import json
import runpy
import sys
from typing import Any

from course_debug.options import Parser, run_command
from course_debug.progress import stages_told
from course_debug.stages import PACKAGE, STAGES, unknown
from course_debug.text import speak, translate

RECORDED = PACKAGE / "recorded" / "seconds.json"


def menu(arguments: list[str]) -> int:
    """Show the road, or tell the one stage that is named."""
    place = next((n for n in range(len(arguments)) if _names_a_stage(arguments, n)), None)
    if place is not None:
        return _tell(arguments[place], arguments[:place] + arguments[place + 1 :])
    parser = Parser("python -m course_debug", translate("cli.menu.about"))
    parser.add_argument("stage", nargs="?", metavar="STAGE", help=translate("cli.help.stage"))
    parser.add_argument("--json", action="store_true", help=translate("cli.help.json"))
    chosen = parser.read(arguments)
    speak(chosen.lang)
    told, recorded = stages_told(), _recorded()
    following = next((stage for stage in STAGES if stage not in told), None)
    command = f"python -m course_debug.{following or STAGES[0]}"
    rows = [_row(stage, told, recorded) for stage in STAGES]
    if chosen.json:
        print(json.dumps({"stages": rows, "next": command}, ensure_ascii=False, indent=1))
    else:
        _show(rows, recorded, command, everything=following is None)
    return 0


def _names_a_stage(arguments: list[str], place: int) -> bool:
    """Whether a word stands for itself: it is no option, and not the value of --lang."""
    return not arguments[place].startswith("-") and arguments[place - 1 : place] != ["--lang"]


def _tell(name: str, arguments: list[str]) -> int:
    stage = f"stage{name}" if name.isdecimal() else name
    if stage not in STAGES:
        raise unknown(name)
    sys.argv = [stage, *arguments]
    runpy.run_module(f"course_debug.{stage}", run_name="__main__", alter_sys=True)
    return 0


def _recorded() -> dict[str, Any]:
    try:
        recorded: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return recorded


def _row(stage: str, told: list[str], recorded: dict[str, Any]) -> dict[str, Any]:
    return {
        "stage": stage,
        "title": translate(f"{stage}.title"),
        "seconds": recorded.get("seconds", {}).get(stage),
        "told": stage in told,
        "command": f"python -m course_debug.{stage}",
    }


def _show(
    rows: list[dict[str, Any]], recorded: dict[str, Any], command: str, *, everything: bool
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    say = translate
    console.print(Text(say("cli.menu.title"), style="bold"))
    console.print(Text(say("cli.menu.method")))
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("stage", "what", "seconds", "status"):
        table.add_column(Text(say(f"cli.menu.{name}")), justify="left")
    for row in rows:
        seconds = say("cli.menu.unmeasured") if row["seconds"] is None else f"{row['seconds']:.0f}"
        done = say("cli.menu.done") if row["told"] else ""
        table.add_row(*(Text(cell) for cell in (row["stage"], row["title"], seconds, done)))
    console.print(table)
    console.print()
    if recorded:
        machine = recorded["machine"]
        facts = {"date": machine["date"], "cores": machine["cores"]}
        console.print(Text(say("cli.menu.measured", **facts), style="dim"))
    console.print(Text(say("cli.menu.more"), style="dim"))
    console.print(
        Text(say("cli.menu.all_done" if everything else "cli.menu.next", command=command))
    )


if __name__ == "__main__":
    run_command(menu)
