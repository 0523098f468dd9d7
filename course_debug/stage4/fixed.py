"""Fine-tune a sentence-pair classifier on MNLI."""

from course_debug.pipeline import CHECKPOINT, MNLI
from datasets import load_dataset
from tensorflow.keras.losses import SparseCategoricalCrossentropy
from tensorflow.keras.optimizers import Adam
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

pairs = load_dataset(**MNLI)
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def tokenize(examples):
    return tokenizer(examples["premise"], examples["hypothesis"], truncation=True)


encoded = pairs.map(tokenize, batched=True)
train_dataset = encoded["train"].to_tf_dataset(
    columns=["attention_mask", "input_ids"],
    label_cols="label",
    batch_size=16,
    shuffle=True,
    collate_fn=DataCollatorWithPadding(tokenizer, return_tensors="tf"),
)

model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
model.compile(optimizer=Adam(5e-5), loss=SparseCategoricalCrossentropy(from_logits=True))
model.fit(train_dataset)
