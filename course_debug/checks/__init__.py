"""The method as plain functions, one file a station: data, model, loss, optimizer.

They take any compiled ``tf_keras`` model and any batch, change neither, and return plain values.
"""

from course_debug.checks.data import (
    Entry,
    LabelPlace,
    LabelRange,
    decode_sample,
    inputs_of,
    label_place,
    label_range,
    labels_of,
    look_at_batch,
)
from course_debug.checks.loss import (
    Step,
    dry_step,
    expected_first_loss,
    gradient_norm,
    per_sample_loss,
    rows_without_gradient,
    variables_without_gradient,
)
from course_debug.checks.model import (
    Predictions,
    logits_of,
    nan_rows,
    nan_variables,
    num_labels_of,
    outputs_of,
    predict,
)
from course_debug.checks.optimizer import Setting, hidden_defaults, plain

__all__ = [
    "Entry",
    "LabelPlace",
    "LabelRange",
    "Predictions",
    "Setting",
    "Step",
    "decode_sample",
    "dry_step",
    "expected_first_loss",
    "gradient_norm",
    "hidden_defaults",
    "inputs_of",
    "label_place",
    "label_range",
    "labels_of",
    "logits_of",
    "look_at_batch",
    "nan_rows",
    "nan_variables",
    "num_labels_of",
    "outputs_of",
    "per_sample_loss",
    "plain",
    "predict",
    "rows_without_gradient",
    "variables_without_gradient",
]
