#!/bin/sh
# Makes .venv with the course and its test tools. Called by make; needs nothing but a POSIX shell.
#
#   sh tools/setup.sh              make .venv, or say that it is ready
#   sh tools/setup.sh --if-needed  the same, silent when it is ready
#
# Settings: PYTHON=/path/to/python to choose one; pip's own (PIP_INDEX_URL for a mirror, ...).
set -u

cd "$(dirname "$0")/.." || exit 1

STAMP=.venv/course-debug-ready
LOG=.venv/setup.log
NEEDED_MB=4500
SIZES="about 800 MB to download, 3 GB on disk, 2 to 4 minutes on a fast line"

say() { printf '%s\n' "$@"; }

refuse() {
    say "" "make setup stopped: $1" >&2
    shift
    for line in "$@"; do say "$line" >&2; done
    exit 1
}

# An environment counts as ready when it was finished here, for these dependencies, and still runs:
# an interrupted set-up, a moved folder and a removed Python all fail one of the three. The settings
# of the checks, the [tool] tables at the end, ask for no new environment.
expected() { say "$(sed '/^\[tool\./,$d' pyproject.toml | cksum) $(pwd -P)"; }
is_ready() {
    [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$(expected)" ] && .venv/bin/python -c '' 2>/dev/null
}

# Prints "3 12 venv" or "3 12 bare" (no venv or ensurepip). Run for real, since a version manager
# may put names on PATH that only print an error.
probe() {
    "$1" -c '
import importlib.util, sys
have = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
print(sys.version_info[0], sys.version_info[1], "venv" if have else "bare")
' 2>/dev/null </dev/null
}

# Sets chosen and version, or leaves chosen empty and notes what was wrong with what there is.
find_python() {
    chosen='' version='' bare='' bare_version='' unfit=''
    if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else
        set -- python3.12 python3.13 python3.11 python3 python
    fi
    for candidate; do
        # Three words, or none when the candidate does not run.
        found=$(probe "$candidate") || continue
        number=$(say "$found" | awk 'NF == 3 { print $1 "." $2 }')
        case $number in
        '') continue ;;
        3.11 | 3.12 | 3.13) ;;
        *)
            case " $unfit " in *" $number "*) ;; *) unfit="$unfit $number" ;; esac
            continue
            ;;
        esac
        case $found in
        *venv)
            chosen=$candidate version=$number
            return
            ;;
        *) [ -n "$bare" ] || { bare=$candidate bare_version=$number; } ;;
        esac
    done
}

explain_no_python() {
    if [ -n "$bare" ]; then
        refuse "Python $bare_version ($bare) is here, but without its venv and ensurepip modules." \
            "On Debian and Ubuntu they are a package of their own:" \
            "    sudo apt install python$bare_version-venv" \
            "Then run make again."
    fi
    if [ -n "$unfit" ]; then
        too_new=''
        for number in $unfit; do
            case $number in 3.1[4-9] | 3.[2-9][0-9]) too_new=yes ;; esac
        done
        if [ -n "$too_new" ]; then
            reason="TensorFlow 2.21 has no package for Python 3.14 or later"
        else
            reason="TensorFlow and its companions need 3.11 at least"
        fi
        refuse "the course needs Python 3.11, 3.12 or 3.13; found only:$unfit." \
            "$reason." \
            "Install one of the three beside yours, or uv, which brings its own, and run make again." \
            "To point at one that is not on PATH: make setup PYTHON=/path/to/python3.12"
    fi
    if [ -n "${PYTHON:-}" ]; then
        refuse "PYTHON=$PYTHON does not run." "Give the path of a Python 3.11, 3.12 or 3.13."
    fi
    refuse "found no Python on PATH." \
        "Install Python 3.11, 3.12 or 3.13, or uv, which brings its own, and run make again."
}

check_disk() {
    free_mb=$(df -Pk . 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')
    case $free_mb in '' | *[!0-9]*) return ;; esac
    [ "$free_mb" -ge "$NEEDED_MB" ] ||
        refuse "this disk has $free_mb MB free; the course needs $NEEDED_MB MB while it installs." \
            "Free some space, or clone to a larger disk, and run make again."
}

check_platform() {
    case $(uname -s)-$(uname -m) in
    Darwin-x86_64)
        refuse "TensorFlow 2.21 has no package for Macs with an Intel processor." \
            "Run the course on Linux, on Windows or on a Mac with Apple silicon."
        ;;
    esac
}

# The last error line of pip or uv tells a full disk, a network fault and a missing package apart.
explain_install() {
    reason=$(grep -E 'ERROR|error:|No space left' "$LOG" 2>/dev/null | tail -n 1 |
        sed -e 's/^[0-9T:,.-]* *//' -e 's/^ERROR: *//')
    if grep -q 'No space left' "$LOG" 2>/dev/null; then
        refuse "the disk filled up while installing." \
            "The course needs $NEEDED_MB MB while it installs. Free some space and run make again."
    fi
    refuse "installing the packages failed." \
        "    ${reason:-(no error line; the whole log is in $LOG)}" \
        "If the line broke, run make again: what was downloaded is kept. The log is $LOG."
}

explain_network() {
    refuse "the package registry could not be reached." \
        "Check the network, or a proxy (HTTPS_PROXY); where a mirror is nearer, set PIP_INDEX_URL" \
        "(for uv: UV_DEFAULT_INDEX) to its address. Then run make again. The log is $LOG."
}

with_pip() {
    "$chosen" -m venv .venv || return 1
    say "Asking the package registry for a first, small package ..."
    # Without this, a machine that is offline would go through minutes of retries.
    rm -rf .venv/first && : >"$LOG"
    .venv/bin/python -m pip download --quiet --no-deps --retries 1 --timeout 15 --log "$LOG" \
        --dest .venv/first hatchling >/dev/null 2>&1 </dev/null || explain_network
    rm -rf .venv/first
    say "Installing: $SIZES." \
        "Its last step, 'Installing collected packages', says nothing for about a minute."
    .venv/bin/python -m pip install --disable-pip-version-check --log "$LOG" \
        --editable '.[test]' </dev/null || explain_install
}

with_uv() {
    uv venv --seed --python '>=3.11,<3.14' .venv </dev/null ||
        refuse "uv could not provide a Python 3.11, 3.12 or 3.13." \
            "Its own message stands above. Check the network and run make again."
    say "Installing: $SIZES."
    uv pip install --python .venv/bin/python --editable '.[test]' </dev/null || explain_uv
}

explain_uv() {
    refuse "installing the packages with uv failed; its own message stands above." \
        "If it is about the network: check the line or a proxy (HTTPS_PROXY); where a mirror is" \
        "nearer, set UV_DEFAULT_INDEX to its address. Then run make again: what was downloaded is kept."
}

if is_ready; then
    [ "${1:-}" = "--if-needed" ] || say "The environment in .venv is ready."
    exit 0
fi

say "Setting up the course in .venv (this happens once): looking for Python ..."
trap 'say "" "Set-up interrupted; make will start it afresh." >&2; exit 130' INT TERM
check_platform
find_python
if [ -n "$chosen" ]; then
    say "Using Python $version ($(command -v "$chosen"))."
elif [ -z "${PYTHON:-}" ] && command -v uv >/dev/null 2>&1; then
    say "Using uv, which finds or downloads a Python of its own."
else
    explain_no_python
fi
check_disk

if [ -e .venv ]; then
    say "Removing the .venv that is there: it is unfinished, broken or out of date."
    rm -rf .venv || refuse "the folder .venv could not be removed." "Remove it and run make again."
fi
if [ -n "$chosen" ]; then with_pip; else with_uv; fi ||
    refuse "no virtual environment could be made in .venv." "Python's own message stands above."

.venv/bin/python -c 'import course_debug' ||
    refuse "the course was installed but does not import." "The message stands above."
expected >"$STAMP"
say "" "Ready. Next: make demo" "For every other command, in each new terminal: source .venv/bin/activate"
