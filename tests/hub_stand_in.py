"""A model hub on this machine: real paths, headers and redirects, with the embedded files behind.

It answers what huggingface_hub, transformers and datasets ask when they load
`distilbert-base-uncased` and `glue`/`mnli`, both under the names that people type and under the
names that the hub redirects them to. The weights are a safetensors file as PyTorch writes it.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
import urllib.parse
from pathlib import Path
from typing import Any

from course_debug import mini
import h5py
import numpy as np
import pyarrow.parquet
from safetensors.numpy import save

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = "distilbert/distilbert-base-uncased"
DATA = "nyu-mll/glue"
# What people type, and where the hub sends them.
MOVED = {"distilbert-base-uncased": MODEL, "glue": DATA}
LFS = (".safetensors", ".parquet")


def pytorch_weights(h5_file: Path) -> bytes:
    """Return a headless TensorFlow DistilBERT as the bytes of a PyTorch safetensors file.

    Names, orientation (a PyTorch linear layer is the transpose of a TensorFlow kernel) and the
    left-over head of masked language modelling are those of the hub's file.
    """
    tensors: dict[str, np.ndarray] = {}

    def visit(name: str, entry: Any) -> None:
        if not isinstance(entry, h5py.Dataset):
            return
        words = name.split("/")
        path, last = words[words.index("distilbert", 1) :], words[-1].removesuffix(":0")
        stem = ".".join(path[:-1]).replace("layer_._", "layer.")
        value = np.asarray(entry)
        kind = "bias" if last in ("bias", "beta") else "weight"
        tensors[f"{stem}.{kind}"] = np.ascontiguousarray(value.T if last == "kernel" else value)

    with h5py.File(h5_file) as file:
        file.visititems(visit)
    vocabulary, width = tensors["distilbert.embeddings.word_embeddings.weight"].shape
    tensors["vocab_transform.weight"] = np.eye(width, dtype=np.float32)
    tensors["vocab_transform.bias"] = np.zeros(width, np.float32)
    tensors["vocab_layer_norm.weight"] = np.ones(width, np.float32)
    tensors["vocab_layer_norm.bias"] = np.zeros(width, np.float32)
    tensors["vocab_projector.bias"] = np.zeros(vocabulary, np.float32)
    return bytes(save(tensors, metadata={"format": "pt"}))


def model_files() -> dict[str, bytes]:
    """Return the model repository: file name -> contents."""
    folder = Path(mini.CHECKPOINT)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["architectures"] = ["DistilBertForMaskedLM"]
    files = {
        "config.json": json.dumps(config).encode(),
        "model.safetensors": pytorch_weights(folder / "tf_model.h5"),
        "README.md": b"---\nlicense: apache-2.0\n---\n",
    }
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        files[name] = (folder / name).read_bytes()
    return files


def data_files() -> dict[str, bytes]:
    """Return the dataset repository: a card with its configurations, and parquet for MNLI."""
    files = {}
    splits = []
    patterns = []
    for split, path in mini.DATA.items():
        name = f"mnli/{split}-00000-of-00001.parquet"
        files[name] = Path(path).read_bytes()
        rows = pyarrow.parquet.read_metadata(path).num_rows
        splits.append(
            f"  - name: {split}\n    num_bytes: {len(files[name])}\n    num_examples: {rows}"
        )
        patterns.append(f"  - split: {split}\n    path: mnli/{split}-*")
    files["ax/test-00000-of-00001.parquet"] = files["mnli/test_matched-00000-of-00001.parquet"]
    card = f"""---
license: other
dataset_info:
- config_name: mnli
  features:
  - name: premise
    dtype: string
  - name: hypothesis
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': entailment
          '1': neutral
          '2': contradiction
  - name: idx
    dtype: int32
  splits:
{chr(10).join(splits)}
  download_size: 1
  dataset_size: 1
configs:
- config_name: ax
  data_files:
  - split: test
    path: ax/test-*
- config_name: mnli
  data_files:
{chr(10).join(patterns)}
---
# GLUE
"""
    files["README.md"] = card.encode()
    return files


class HubStandIn:
    """The hub as a context manager: `endpoint` while it runs, `asked` as (method, path).

    `broken` names a file whose download breaks off after half of its bytes, every time.
    """

    def __init__(self, broken: str | None = None) -> None:
        self.repositories = {("models", MODEL): model_files(), ("datasets", DATA): data_files()}
        self.asked: list[tuple[str, str]] = []
        self.broken = broken
        hub = self

        class Answer(_Answer):
            stand_in = hub

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> HubStandIn:
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class _Answer(http.server.BaseHTTPRequestHandler):
    stand_in: HubStandIn
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self._answer(self.rfile.read(length))

    def _answer(self, body: bytes = b"") -> None:
        path = urllib.parse.unquote(self.path)
        self.stand_in.asked.append((self.command, path))
        path = path.partition("?")[0]
        api = path.startswith("/api/")
        words = path.removeprefix("/api").strip("/").split("/")
        kind = words[0] if words[0] in ("models", "datasets") else "models"
        if words[0] in ("models", "datasets", "cdn"):
            words = words[1:]
        if words and words[0] in MOVED:
            self._send(307, location=self.path.replace(words[0], MOVED[words[0]], 1))
            return
        name, rest = "/".join(words[:2]), words[2:]
        if path.startswith("/cdn/"):
            kind, name, rest = words[0], "/".join(words[1:3]), words[3:]
        files = self.stand_in.repositories.get((kind, name))
        if files is None:
            self._send(404, {"X-Error-Code": "RepoNotFound"} if words[0] else {})
        elif path.startswith("/cdn/"):
            self._file(files, "/".join(rest), "/".join(rest))
        elif api:
            self._api(name, files, rest, body)
        elif rest[:1] == ["resolve"]:
            self._resolve(kind, name, files, rest)
        else:
            self._send(404)

    def _resolve(self, kind: str, name: str, files: dict[str, bytes], rest: list[str]) -> None:
        file = "/".join(rest[2:])
        if rest[1] not in ("main", COMMIT):
            self._send(404, {"X-Error-Code": "RevisionNotFound"})
        elif file not in files:
            self._send(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
        elif file.endswith(LFS):
            # Large files lie elsewhere, and their size and hash are told before the redirect.
            headers = {
                "X-Repo-Commit": COMMIT,
                "X-Linked-Etag": f'"{hashlib.sha256(files[file]).hexdigest()}"',
                "X-Linked-Size": str(len(files[file])),
            }
            self._send(302, headers, f"{self.stand_in.endpoint}/cdn/{kind}/{name}/{file}")
        else:
            self._file(files, file, file)

    def _file(self, files: dict[str, bytes], file: str, label: str) -> None:
        content = files[file]
        headers = {
            "ETag": f'"{hashlib.sha1(content).hexdigest()}"',
            "X-Repo-Commit": COMMIT,
            "Accept-Ranges": "bytes",
        }
        status, asked = 200, self.headers.get("Range", "")
        if asked.startswith("bytes="):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            end = min(int(last) + 1, len(content)) if last else len(content)
            headers["Content-Range"] = f"bytes {first}-{end - 1}/{len(content)}"
            content, status = content[int(first) : end], 206
        self._send(status, headers, content=content, breaks=label == self.stand_in.broken)

    def _api(self, name: str, files: dict[str, bytes], rest: list[str], body: bytes) -> None:
        if not rest or rest[0] == "revision":
            siblings = [{"rfilename": file} for file in files]
            self._json({"id": name, "sha": COMMIT, "siblings": siblings, "tags": []})
        elif rest[0] == "tree":
            self._tree(files, "/".join(rest[2:]))
        elif rest[0] == "paths-info":
            asked = urllib.parse.parse_qs(body.decode())
            paths = json.loads(body)["paths"] if body[:1] == b"{" else asked.get("paths", [])
            entries = [_entry(files, path) for path in paths]
            self._json([entry for entry in entries if entry])
        else:
            self._send(404)

    def _tree(self, files: dict[str, bytes], folder: str) -> None:
        inside = [file for file in files if not folder or file.startswith(f"{folder}/")]
        if not inside:
            self._send(404, {"X-Error-Code": "EntryNotFound"})
            return
        recursive = "recursive=true" in self.path.lower()
        names = dict.fromkeys(
            file
            if recursive
            else "/".join(file.split("/")[: folder.count("/") + 2 if folder else 1])
            for file in inside
        )
        self._json([_entry(files, name) for name in names])

    def _json(self, value: Any) -> None:
        self._send(200, {"Content-Type": "application/json"}, content=json.dumps(value).encode())

    def _send(
        self,
        status: int,
        headers: dict[str, str] | None = None,
        location: str | None = None,
        content: bytes = b"",
        breaks: bool = False,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if breaks:
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
        else:
            self.wfile.write(content)


def _entry(files: dict[str, bytes], path: str) -> dict[str, Any] | None:
    if path in files:
        size, oid = len(files[path]), hashlib.sha1(files[path]).hexdigest()
        return {"type": "file", "path": path, "size": size, "oid": oid}
    if any(file.startswith(f"{path}/") for file in files):
        return {"type": "directory", "path": path, "oid": COMMIT}
    return None
