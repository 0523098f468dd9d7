"""A course in debugging the training of transformer models.

Importing this package chooses Keras 2 for TensorFlow (``TF_USE_LEGACY_KERAS=1``): the TensorFlow
classes of transformers need it, and TensorFlow reads the variable only once, when it is imported.
"""

from __future__ import annotations

import os
import sys
import warnings

__version__ = "0.1.0"

LEGACY_KERAS = "TF_USE_LEGACY_KERAS"

if os.environ.get(LEGACY_KERAS) not in ("1", "true", "True") and "tensorflow" in sys.modules:
    warnings.warn(
        f"TensorFlow was imported before course_debug, without {LEGACY_KERAS}=1, so tf.keras is "
        "Keras 3 and the TensorFlow classes of transformers will refuse its optimizers. "
        "Import course_debug first, or set the variable before Python starts.",
        stacklevel=2,
    )
os.environ.setdefault(LEGACY_KERAS, "1")
# Start-up notes about missing GPUs and CPU instructions hide the messages that the course is about.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


class _NotThere:
    """Answer ``python -m course_debug.stage99`` with a sentence instead of Python's own error.

    The same for a script that a stage does not have, such as ``course_debug.stage3.brokn``.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        # While `python -m` looks its module up, and only then, sys.argv[0] is "-m".
        if sys.argv[:1] == ["-m"] and name.startswith("course_debug."):
            from course_debug.options import run_command
            from course_debug.stages import unknown

            def refuse(arguments: list[str]) -> int:
                raise unknown(name.removeprefix("course_debug."))

            # Python has not put the arguments into sys.argv yet; it keeps them here.
            run_command(refuse, sys.orig_argv)


sys.meta_path.append(_NotThere)
