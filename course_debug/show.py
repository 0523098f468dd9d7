"""How a story is told in a terminal: chapters, findings, code, tables, curves, and the evidence."""

from __future__ import annotations

import difflib
import json
import math
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course_debug.line_breaks import with_breaks
from course_debug.pipeline import Source, in_use
from course_debug.progress import note_told
from course_debug.refusal import Refusal
from course_debug.script import Run, listening, message_head
from course_debug.stages import PACKAGE, next_command
from course_debug.symptoms import Symptom, measure, provoke, shows, symptoms_of
from course_debug.text import translate
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

CHAPTERS = ("break", "look", "find", "mend", "prove", "remember")
WIDEST = 100


class Story:
    """A stage told with live evidence.

    What is explained, and what is shown, goes to the terminal; what is measured also goes into
    ``evidence``, which ``--json`` prints instead. ``--quiet`` keeps the findings alone.
    """

    def __init__(self, stage: str, options: Namespace, usual_steps: int) -> None:
        self.stage = stage
        self.options = options
        self.usual_steps = usual_steps
        self.evidence: dict[str, Any] = {"stage": stage}
        self.began = time.perf_counter()
        self.training_seconds = 0.0
        self.holds = True
        self.chapters: Sequence[str] = CHAPTERS
        screen = Console()
        width = min(screen.width, WIDEST) if screen.is_terminal else WIDEST
        self.console = Console(highlight=False, width=width, quiet=options.json)
        self.waiting_console = Console(
            highlight=False, stderr=options.json, width=self.console.width
        )

    def _block(self, block: RenderableType, indent: int = 2) -> None:
        """Print something with an empty line above it, and no blanks to the right of it."""
        self.console.print()
        self.console.print(Padding(block, (0, 0, 0, indent), expand=False) if indent else block)

    def _paragraph(self, text: str, style: str = "") -> None:
        self._block(Text(with_breaks(text, self.console.width), style=style), indent=0)

    def _talks(self) -> bool:
        return not (self.options.quiet or self.options.json)

    def text(self, key: str, **values: object) -> str:
        """Return a message of this stage's own catalog."""
        return translate(f"{self.stage}.{key}", **values)

    def title(self, source: Source) -> None:
        """Say which stage this is, and which model, data, seed and number of steps it uses."""
        self.evidence |= {
            "model": source.model_name,
            "data": source.data_name,
            "seed": self.options.seed,
            "steps": self.options.steps,
        }
        number = self.stage.removeprefix("stage")
        self.console.print(
            Text(translate("show.title", number=number, title=self.text("title")), style="bold")
        )
        self.console.print(
            Text(
                translate(
                    "show.settings",
                    source=in_use(source),
                    seed=self.options.seed,
                    steps=self.options.steps,
                ),
                style="dim",
            )
        )

    def chapter(self, name: str) -> None:
        """Open the next chapter; with ``--pause``, after a key has been pressed."""
        number = self.chapters.index(name) + 1
        pauses = self.options.pause and not self.options.json
        if pauses and number > 1 and sys.stdin.isatty():
            self.console.print(Text(translate("show.press_enter") + " ", style="dim"), end="")
            sys.stdin.readline()
        if self._talks():
            title = f"{number}/{len(self.chapters)}  {translate(f'show.chapter.{name}')}"
            self.console.print()
            self.console.print(Rule(Text(title, style="bold cyan"), align="left", style="cyan"))

    def say(self, key: str, **values: object) -> None:
        """Explain something: a paragraph of this stage's catalog."""
        if self._talks():
            self._paragraph(self.text(key, **values))

    def finding(self, key: str, **values: object) -> None:
        """State what was found: kept with ``--quiet``, and readable without colour."""
        self._paragraph("=> " + self.text(key, **values), style="bold")

    def waiting(self, message: str) -> None:
        """Say what is being waited for, before the wait."""
        text = with_breaks("... " + message, self.console.width)
        self.waiting_console.print(Text(text, style="dim"))

    def code(self, source: Path | str, lexer: str = "python") -> None:
        """Show a script, or a few lines of one."""
        if not self._talks():
            return
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
        if isinstance(source, Path):
            self._block(Text(f"course_debug/{self.stage}/{source.name}", style="dim"), indent=0)
        self._block(Syntax(text.rstrip(), lexer, background_color="default", word_wrap=True))

    def diff(self, broken: str = "broken.py", fixed: str = "fixed.py") -> None:
        """Show how two scripts of this room differ: the lesson and nothing else."""
        old, new = ((self.room / name).read_text(encoding="utf-8") for name in (broken, fixed))
        lines = difflib.unified_diff(
            old.splitlines(), new.splitlines(), broken, fixed, lineterm="", n=0
        )
        shown = [line for line in lines if not line.startswith("@@")]
        self.evidence.setdefault("diff", shown)
        self.code("\n".join(shown), "diff")

    def lines(self, text: str) -> None:
        """Show output as a program printed it."""
        if self._talks():
            self._block(Text(text))

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Show rows of values under headers that are keys of the catalog ``show``."""
        if not self._talks():
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for header in headers:
            table.add_column(Text(translate(f"show.column.{header}")), overflow="fold")
        for row in rows:
            table.add_row(*(Text(shown(value)) for value in row))
        self._block(table)

    def chart(self, drawn: Callable[..., str], *values: Any) -> None:
        """Draw a chart of characters (see curves.py) as wide as the terminal allows."""
        if self._talks():
            width = max(40, min(self.console.width - 4, 76))
            self._block(Text(drawn(*values, width=width)))

    def saved(self, path: Path) -> None:
        """Say where a picture is."""
        self._block(Text(translate("show.saved", path=path)), indent=0)

    @property
    def room(self) -> Path:
        """The folder of this stage."""
        return PACKAGE / self.stage

    def symptom(self, name: str) -> Symptom:
        """Return one record of this stage by its id."""
        return next(symptom for symptom in symptoms_of(self.stage) if symptom.id == name)

    def run(
        self,
        script: str,
        symptom: Symptom,
        *,
        name: str | None = None,
        steps: int | None = None,
    ) -> Run:
        """Run a script of this room on a symptom's stack and device, with progress.

        What it measured is kept as evidence under ``name`` (by default the script's), with
        ``shown``: whether the symptom appeared. The symptom's own script must show it, any other
        script must not; else the story does not hold.
        """
        steps = steps or self.options.steps
        how = "show.running_once" if steps == 1 else "show.running"
        self.waiting(translate(how, script=script, steps=steps))
        import tf_keras

        # The same seed before each run: both scripts see the same batches and the same fresh head.
        tf_keras.utils.set_random_seed(self.options.seed)
        with self._progress(steps) as on_step:
            run = provoke(self.stage, symptom, script, steps=steps, on_step=on_step)
        self.training_seconds += run.training_seconds
        measured = measure(run)
        measured["shown"] = shows(symptom, measured)
        if run.error and not (measured["shown"] and script == symptom.script):
            reason = f"{type(run.error).__name__}: {message_head(run.error)}"
            raise Refusal("show.script_failed", script=script, reason=reason)
        self.holds &= measured["shown"] == (script == symptom.script)
        self.evidence[name or script.removesuffix(".py")] = measured
        return run

    def train(self, model: Any, dataset: Any, steps: int | None = None) -> Run:
        """Train a compiled model on for some steps, with progress, and return its losses."""
        steps = steps or self.options.steps
        run = Run(self.room)
        with self._progress(steps) as on_step, listening(run, steps, on_step=on_step):
            model.fit(dataset)
        self.training_seconds += run.training_seconds
        return run

    def remember(self) -> None:
        """Close with what is to be kept in mind."""
        self.chapter("remember")
        if self._talks():
            points = Table.grid(padding=(0, 1))
            for point in self.text("remember.points").splitlines():
                point = with_breaks(point.removeprefix("- "), self.console.width - 2)
                points.add_row("-", Text(point))
            self._block(points, indent=0)

    @contextmanager
    def _progress(self, steps: int) -> Iterator[Any]:
        if not (self._talks() and self.console.is_terminal):
            yield None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("   "),
            BarColumn(30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[loss]}"),
        )
        with Progress(*columns, console=self.console, transient=True) as progress:
            task = progress.add_task("", total=steps, loss="")

            def on_step(done: int, loss: float) -> None:
                progress.update(task, completed=done, loss=f"loss {shown(loss)}")

            yield on_step

    def _say_whether_it_held(self, total: float) -> None:
        say = translate
        self.console.print()
        if self.holds:
            self.console.print(Text(say("show.reproduced")))
        else:
            self.console.print(
                Text(say("show.not_reproduced", steps=self.usual_steps), style="bold")
            )
        if self._talks():
            training = f"{self.training_seconds:.0f}"
            self.console.print(Text(say("show.by_hand", stage=self.stage)))
            self.console.print(Text(say("show.next", command=next_command(self.stage))))
            self.console.print(
                Text(say("show.seconds", total=f"{total:.0f}", training=training), style="dim")
            )

    def end(self) -> int:
        """Close the story, print the evidence where it was asked for, return the exit status."""
        total = time.perf_counter() - self.began
        self._say_whether_it_held(total)
        self.evidence["seconds"] = {"total": total, "training": self.training_seconds}
        self.evidence["holds"] = self.holds
        # A story in short (stage 1 with --today) or one that did not hold is still to be told.
        if self.holds and CHAPTERS[-2] in self.chapters:
            note_told(self.stage)
        if self.options.json:
            print(json.dumps(as_json(self.evidence), ensure_ascii=False, indent=1))
        return 0 if self.holds else 1


def shown(value: object) -> str:
    """Return a value as a table shows it: of a float, four digits that count."""
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else "nan"
    return str(value)


def as_json(value: Any) -> Any:
    """Return evidence as JSON can hold it; what is not a finite number becomes a string."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if hasattr(value, "tolist"):
        return as_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
