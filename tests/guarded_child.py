"""Python in a process of its own, where a connection that must not be made ends the process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

CAUGHT = 77

# Audit events come from the C layer: no library reaches the network without raising one.
GUARD = """
import os, sys, traceback
def _guard(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if host not in {allowed!r}:
        traceback.print_stack()
        print("NETWORK", event, host, file=sys.stderr, flush=True)
        os._exit({caught})
sys.addaudithook(_guard)
"""
LOOPBACK = ("127.0.0.1",)


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str
    seconds: float


def run_child(
    code: str,
    home: Path,
    *,
    allowed: tuple[str, ...] = (),
    strict: bool = True,
    **environment: str,
) -> Ended:
    """Run `code` with its caches under `home` and only the hosts `allowed`.

    `strict` turns warnings into errors. Nothing of the caller's own settings comes through.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith(("HF_", "COURSE_DEBUG", "TRANSFORMERS_", "LC_", "LANG"))
        and not name.upper().endswith("_PROXY")
    }
    kept |= {
        "HF_HOME": str(home / "hf"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "PYTHONIOENCODING": "utf-8",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    warnings = ["-W", "error"] if strict else []
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *warnings, "-c", GUARD.format(allowed=allowed, caught=CAUGHT) + code],
        env=kept | environment,
        cwd=home,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr, time.perf_counter() - start)
