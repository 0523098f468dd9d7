"""Options of the command line: read without TensorFlow, refused in a sentence."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from course_debug.refusal import Refusal
from course_debug.text import LANGUAGES, speak, translate


class Parser(argparse.ArgumentParser):
    """An argument parser whose help and refusals speak the reader's language.

    It raises a Refusal, and so never prints a usage block where a sentence is wanted.
    """

    def __init__(self, command: str, about: str) -> None:
        super().__init__(
            prog=command,
            description=about,
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
            formatter_class=_Help,
        )
        self._optionals.title = translate("cli.help.options")
        self._positionals.title = translate("cli.help.arguments")
        self.add_argument("-h", "--help", action="help", help=translate("cli.help.help"))
        self.add_argument("--lang", type=_language, metavar="LANG", help=translate("cli.help.lang"))

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments, after switching to the language that they ask for.

        Raises:
            Refusal: an unknown option, or a value that the option cannot take.
        """
        try:
            found, unknown = self.parse_known_args(list(arguments))
        except argparse.ArgumentError as problem:
            option = problem.argument_name or ""
            # argparse words these two itself, in English; all other reasons come from our catalogs.
            if problem.message.startswith("ignored explicit argument"):
                raise Refusal("cli.takes_no_value", option=option, command=self.prog) from None
            if problem.message.startswith("expected"):
                raise Refusal("cli.needs_value", option=option, command=self.prog) from None
            raise Refusal(
                "cli.bad_value", option=option, reason=problem.message, command=self.prog
            ) from None
        if unknown:
            raise Refusal("cli.unknown_option", option=unknown[0], command=self.prog)
        return found

    def error(self, message: str) -> NoReturn:
        """Refuse what argparse itself refuses outside of a single option."""
        raise Refusal("cli.bad_arguments", reason=message, command=self.prog)


class _Help(argparse.HelpFormatter):
    def add_usage(
        self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None
    ) -> None:
        super().add_usage(usage, actions, groups, prefix or translate("cli.help.usage") + " ")


def _language(value: str) -> str:
    if value not in LANGUAGES:
        raise argparse.ArgumentTypeError(
            translate("cli.value.language", value=value, choices=", ".join(LANGUAGES))
        )
    return value


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """Return a reader of whole numbers within bounds, both included."""

    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = lowest - 1
        if not lowest <= number <= highest:
            raise argparse.ArgumentTypeError(
                translate("cli.value.whole_number", value=value, lowest=lowest, highest=highest)
            )
        return number

    return read


def picture_file(value: str) -> Path:
    """Read the path of a picture to be written: its type must be known, it must be writable.

    The folder must exist; a file that is there is replaced, a folder of that name is not.
    """
    path = Path(value)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise argparse.ArgumentTypeError(translate("cli.value.picture_type", value=value))
    folder = path.absolute().parent
    try:
        if not folder.is_dir():
            raise argparse.ArgumentTypeError(translate("cli.value.no_folder", folder=folder))
        writable = os.access(folder, os.W_OK | os.X_OK) and not path.is_dir()
    except OSError:
        # A name too long, or a folder that may not be looked into.
        writable = False
    if not writable:
        raise argparse.ArgumentTypeError(translate("cli.value.picture_unwritable", value=value))
    return path


def language_asked(arguments: Sequence[str]) -> str | None:
    """Find ``--lang`` before anything is parsed, so that even a parse error speaks it."""
    for index, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == "--lang":
            value = value or (arguments[index + 1] if index + 1 < len(arguments) else "")
            return value if value in LANGUAGES else None
    return None


def run_command(
    command: Callable[[list[str]], int], arguments: list[str] | None = None
) -> NoReturn:
    """Run a command to its exit status: refusals are sentences (2), Ctrl-C is calm (130)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    speak(language_asked(arguments))
    try:
        status = command(arguments)
    except Refusal as refusal:
        print(translate(refusal.key, **refusal.values), file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        print("\n" + translate("cli.interrupted"), file=sys.stderr)
        status = 130
    except BrokenPipeError:
        # The reader closed the pipe (`| head`): nothing is wrong, and nobody is left to tell.
        sys.stderr.close()
        status = 141
    raise SystemExit(status)
