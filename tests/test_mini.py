"""The embedded pairs and checkpoint: their shape, their honesty, how training on them begins."""

import itertools
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

from course_debug import mini
import numpy as np
import pyarrow.parquet as pq
import pytest

TOOLS = Path(__file__).resolve().parents[1] / "tools" / "mini"
ROWS = {
    "train": 4800,
    "validation_matched": 600,
    "validation_mismatched": 600,
    "test_matched": 300,
    "test_mismatched": 300,
}
TOLD = ("train", "validation_matched", "validation_mismatched")


@pytest.fixture(scope="module")
def making():
    """The folder of the generator on the import path, as its command has it."""
    sys.path.insert(0, str(TOOLS))
    yield
    sys.path.remove(str(TOOLS))


@pytest.fixture(scope="module")
def rows():
    return {split: pq.read_table(path).to_pylist() for split, path in mini.DATA.items()}


@pytest.fixture(scope="module")
def tokenizer(keras):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(mini.CHECKPOINT)


@pytest.fixture(scope="module")
def first_batches(keras, tokenizer):
    """For each of three seeds: the loss of a fresh head, and the string loss on its logits."""
    import tensorflow as tf
    from datasets import load_dataset
    from transformers import DataCollatorWithPadding, TFAutoModelForSequenceClassification

    train = load_dataset("parquet", data_files={"train": mini.DATA["train"]}, split="train")
    measured = []
    for seed in (11, 12, 13):
        keras.utils.set_random_seed(seed)
        batch = train.shuffle(seed=seed).select(range(16))
        encoded = [tokenizer(row["premise"], row["hypothesis"]) for row in batch]
        features = dict(DataCollatorWithPadding(tokenizer, return_tensors="tf")(encoded))
        model = TFAutoModelForSequenceClassification.from_pretrained(mini.CHECKPOINT, num_labels=3)
        logits = model(features, training=True).logits
        labels = tf.constant(batch["label"])
        right = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits)
        string = keras.losses.get("sparse_categorical_crossentropy")(labels, logits)
        measured.append((float(right), float(tf.reduce_mean(string))))
    return measured


def text(row):
    return row["premise"].lower(), row["hypothesis"].lower()


def guess_from_words(rows, column):
    """Accuracy of a linear model over single words of one column, by gradient descent."""
    train, held_out = rows["train"], rows["validation_matched"]
    words = Counter(word for row in train for word in set(row[column].lower().split()))
    frequent = sorted(word for word, count in words.items() if count > 3)
    known = {word: at for at, word in enumerate(frequent)}

    def seen(some):
        table = np.zeros((len(some), len(known)), np.float32)
        for at, row in enumerate(some):
            table[at, [known[w] for w in row[column].lower().split() if w in known]] = 1
        return table

    features = seen(train)
    target = np.eye(3, dtype=np.float32)[[row["label"] for row in train]]
    weights = np.zeros((len(known), 3), np.float32)
    for _ in range(150):
        scores = np.exp(features @ weights)
        share = scores / scores.sum(1, keepdims=True)
        weights -= 2.0 * (features.T @ (share - target) / len(train) + 0.002 * weights)
    guessed = (seen(held_out) @ weights).argmax(1)
    return np.mean(guessed == [row["label"] for row in held_out])


def test_every_split_has_the_columns_and_the_label_names_of_glue(keras):
    from datasets import load_dataset

    raw = load_dataset("parquet", data_files=mini.DATA)
    for split, count in ROWS.items():
        assert len(raw[split]) == count
        assert raw[split].column_names == ["premise", "hypothesis", "label", "idx"]
        assert raw[split].features["label"].names == ["entailment", "neutral", "contradiction"]
        assert raw[split].features["idx"].dtype == "int32"
        assert raw[split]["idx"][:] == list(range(count))


def test_told_labels_are_balanced_and_those_of_the_test_splits_are_not_told(rows):
    for split, some in rows.items():
        counts = Counter(row["label"] for row in some)
        third = len(some) // 3
        assert counts == (dict.fromkeys(range(3), third) if split in TOLD else {-1: len(some)})


def test_no_pair_stands_twice_anywhere(rows):
    counts = Counter(text(row) for some in rows.values() for row in some)
    assert max(counts.values()) == 1


def test_each_hypothesis_stands_equally_often_with_every_label(rows):
    for split in TOLD:
        labels = defaultdict(Counter)
        for row in rows[split]:
            labels[row["hypothesis"]][row["label"]] += 1
        assert all(
            len(set(counts.values())) == 1 and len(counts) == 3 for counts in labels.values()
        )


def test_the_generator_writes_the_shipped_pairs_again(keras, making, tmp_path):
    import make

    make.make_data(make.SEED, tmp_path)
    for split, shipped in mini.DATA.items():
        again = tmp_path / "data" / f"{split}.parquet"
        table, shipped_table = pq.read_table(again), pq.read_table(shipped)
        assert table.equals(shipped_table)
        assert table.schema.equals(shipped_table.schema, check_metadata=True)
        # Another version of the writer packs the same rows in other bytes.
        if pq.read_metadata(again).created_by == pq.read_metadata(shipped).created_by:
            assert again.read_bytes() == Path(shipped).read_bytes()


def test_no_pair_of_any_split_is_in_the_pretraining_text(keras, making, rows):
    import make
    import splits

    _, taken = splits.draw(make.SEED)
    assert taken == {text(row) for some in rows.values() for row in some}
    pretraining = {(p.premise.lower(), p.hypothesis.lower())
                   for p in splits.pretraining(make.SEED, set(taken))}  # fmt: skip
    assert len(pretraining) == splits.PRETRAINING_PAIRS
    assert not pretraining & taken


def test_sentences_begin_and_end_as_sentences_do(rows):
    for row in itertools.chain(*rows.values()):
        for part in (row["premise"], row["hypothesis"]):
            assert part[0].isupper() or part[0] == '"'
            assert part.rstrip('"')[-1] in ".!?"
            assert "  " not in part
            assert not set("<>|_") & set(part)


def test_half_a_pair_says_little(rows):
    assert abs(guess_from_words(rows, "hypothesis") - 1 / 3) < 0.05
    assert abs(guess_from_words(rows, "premise") - 1 / 3) < 0.10


def test_the_tokenizer_has_berts_special_ids_and_spells_every_text(rows, tokenizer):
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    assert tokenizer.convert_tokens_to_ids(special) == [0, 100, 101, 102, 103]
    assert tokenizer.model_max_length == 128
    for some in rows.values():
        ids = tokenizer([r["premise"] for r in some], [r["hypothesis"] for r in some])["input_ids"]
        assert not any(tokenizer.unk_token_id in row for row in ids)
        assert max(map(len, ids)) <= 80
    spelled = tokenizer("Zebras quickly vexed my 27 xylophones!")["input_ids"]
    assert tokenizer.unk_token_id not in spelled


def test_the_checkpoint_is_headless_small_and_distilberts_architecture(keras):
    import h5py

    with h5py.File(Path(mini.CHECKPOINT) / "tf_model.h5") as file:
        names: list[str] = []
        file.visit(names.append)
    assert not [name for name in names if "classifier" in name or "vocab_" in name]
    config = json.loads((Path(mini.CHECKPOINT) / "config.json").read_text(encoding="utf-8"))
    assert config["model_type"] == "distilbert"
    shares = ("dropout", "attention_dropout", "seq_classif_dropout")
    assert [config[name] for name in shares] == [0.1, 0.1, 0.2]
    size = sum(path.stat().st_size for path in mini.FOLDER.rglob("*") if path.is_file())
    assert size < 12 * 2**20


def test_the_first_loss_is_near_the_logarithm_of_three(first_batches):
    assert [right for right, _ in first_batches if not 1.04 <= right <= 1.16] == []


def test_a_string_loss_begins_far_above_it(first_batches):
    assert [string for _, string in first_batches if string < 1.8] == []


def test_the_card_holds_the_table_of_the_measured_numbers(making):
    import report

    card = (mini.FOLDER / "CARD.md").read_text(encoding="utf-8")
    measured = report.from_file(mini.FOLDER / "measured.json")
    assert report.table(measured) in card
    assert report.holds(measured)
