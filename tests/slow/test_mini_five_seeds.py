"""What the course needs of the embedded checkpoint, on five seeds: an hour where others compute."""

import sys
import warnings
from pathlib import Path

from course_debug import mini
import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "mini"
SEEDS = (300, 301, 302, 303, 304)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def measured(keras):
    """Everything that the card's table shows, on seeds of this test's own."""
    sys.path.insert(0, str(TOOLS))
    import measure

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own, on a path that readers take as it is
        found = measure.measure(mini.FOLDER, SEEDS, print)
    yield found
    sys.path.remove(str(TOOLS))


def test_everything_the_course_depends_on_holds(measured):
    import report

    broken = [
        (name, wanted, numbers(measured))
        for name, numbers, wanted, inside, must in report.ROWS
        if must and not inside(numbers(measured))
    ]
    assert broken == []


def test_the_loss_is_lowest_where_distilberts_is(measured):
    curve = measured["curve"]
    best = float(min(curve, key=lambda rate: curve[rate]))
    assert 2e-5 <= best <= 1e-4
