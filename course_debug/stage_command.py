"""What every ``python -m course_debug.stageN`` shares: its options, its start, and its end."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

from course_debug import pipeline
from course_debug.options import Parser, run_command, whole_number
from course_debug.text import speak, translate

if TYPE_CHECKING:
    from course_debug.show import Story

STEPS = 100
SEED = 7
BATCH = 16
# The scripts tokenize all that they load; of 393,000 pairs that takes minutes.
ROWS = 20_000


def tell_stage(
    stage: str,
    tell: Callable[[Story], None],
    options: Callable[[Parser], None] | None = None,
    *,
    steps: int = STEPS,
) -> NoReturn:
    """Run one stage's story from the command line and exit.

    Args:
        stage: the name of the room, e.g. "stage3".
        tell: the story itself; it may import TensorFlow, nothing before it does.
        options: adds the options that only this stage has.
        steps: how many training steps each run takes where the reader asks for no number.
    """

    def command(arguments: list[str]) -> int:
        parser = story_parser(stage, steps)
        if options:
            options(parser)
        chosen = parser.read(arguments)
        speak(chosen.lang)
        _say_what_is_checked(chosen)
        source = pipeline.choose(
            chosen.model, chosen.data, most_rows=max(ROWS, chosen.steps * BATCH)
        )
        pipeline.use(source, announce=False)
        from course_debug.show import Story

        story = Story(stage, chosen, steps)
        _open(story, source)
        tell(story)
        return story.end()

    run_command(command)


def _say_what_is_checked(chosen: Namespace) -> None:
    """Name the wait before the title, which needs to know what was found."""
    asked = [name for name in (chosen.model, chosen.data) if name and name != "mini"]
    if asked:
        message = "show.fetching" if "hub" in asked else "show.checking"
        stream = sys.stderr if chosen.json else sys.stdout
        print("... " + translate(message, names=", ".join(asked)), file=stream, flush=True)


def story_parser(stage: str, steps: int) -> Parser:
    """Return the options that all stories share."""
    parser = Parser(f"python -m course_debug.{stage}", translate(f"{stage}.about"))
    say = translate
    parser.add_argument(
        "--steps", type=whole_number(5, 100_000), default=steps, metavar="N",
        help=say("show.help.steps", steps=steps),
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_number(0, 2**31 - 1), default=SEED, metavar="N",
        help=say("show.help.seed", seed=SEED),
    )  # fmt: skip
    parser.add_argument("--model", metavar="SOURCE", help=say("show.help.model"))
    parser.add_argument("--data", metavar="SOURCE", help=say("show.help.data"))
    parser.add_argument("--pause", action="store_true", help=say("show.help.pause"))
    parser.add_argument("--quiet", action="store_true", help=say("show.help.quiet"))
    parser.add_argument("--json", action="store_true", help=say("show.help.json"))
    return parser


def _open(story: Story, source: pipeline.Source) -> None:
    """Say what is told and with what, then load TensorFlow."""
    story.title(source)
    story.waiting(translate("show.loading"))
    # A story's facts are those of a CPU; a GPU would show others (see the records of stage 2).
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    with _native_notes_hidden():
        import datasets
        import tensorflow as tf
        import tf_keras
        import transformers

        tf.zeros(1)
    tf.get_logger().setLevel("ERROR")
    datasets.disable_progress_bars()
    transformers.logging.set_verbosity_error()
    tf_keras.utils.set_random_seed(story.options.seed)
    story.evidence["versions"] = {
        "python": sys.version.split()[0],
        **{m.__name__: m.__version__ for m in (tf, tf_keras, transformers, datasets)},
    }


@contextlib.contextmanager
def _native_notes_hidden() -> Iterator[None]:
    """Keep TensorFlow's start-up notes, written below Python, off the screen unless it fails."""
    sys.stderr.flush()
    screen = os.dup(2)
    with tempfile.TemporaryFile() as notes:
        os.dup2(notes.fileno(), 2)
        try:
            yield
        except BaseException:
            os.dup2(screen, 2)
            notes.seek(0)
            os.write(2, notes.read())
            raise
        finally:
            os.dup2(screen, 2)
            os.close(screen)
