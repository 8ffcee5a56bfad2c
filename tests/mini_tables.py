"""Small results tables of the published ones' form, and servers that fail, for the tests of datasets."""

import json
from hashlib import sha256

import pandas as pd

from genexpy_nb.common.files import with_checksum
from genexpy_nb.datasets import locating

COLUMNS = {
    "encoders": ["dataset", "model", "tuning", "scoring", "encoder", "cv_score", "time"],
    "bigbench": ["subtask_description", "task_name", "number_of_shots", "model_family_model_name", "score_value"],
}


def encoders_frame(n=3):
    return pd.DataFrame(
        {
            "scoring": "ACC",  # not in the schema's order, as in the published table
            "dataset": [str(i) for i in range(n)],
            "model": "LR",
            "tuning": "no",
            "encoder": "OHE",
            "cv_score": [i / 10 for i in range(n)],
            "time": [None] + [1.5] * (n - 1),
        }
    )


def bigbench_frame():
    return pd.DataFrame(
        {
            "subtask_description": ["a", "b"],
            "task_name": "t",
            "number_of_shots": [0, 1],
            "model_family_model_name": "m",
            "score_value": [-0.5, 0.5],
        }
    )


FRAMES = {"encoders": encoders_frame, "bigbench": bigbench_frame}


def write(path, content):
    """Write bytes; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def put(folder, content, name="results.csv"):
    """Write text or bytes to a file in a folder; return its path."""
    return write(folder / name, content if isinstance(content, bytes) else content.encode())


def write_bundled(folder, name, frame, sha=None):
    """Write a bundled table and the JSON beside it, with another SHA-256 if one is given."""
    path = folder / f"{locating.STEMS[name]}.parquet"
    frame.to_parquet(path)
    sha = sha or sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".json").write_text(json.dumps(with_checksum({"sha256": sha})))
    return path


def write_registry(folder, known):
    """Write what is known of the published tables."""
    (folder / "registry.json").write_text(json.dumps(with_checksum(known)))


def everything_in(folder):
    """Names of the files in a folder and below."""
    return sorted(p.name for p in folder.rglob("*") if p.is_file()) if folder.exists() else []


# --- what a server answers -------------------------------------------------------------------------------------------


def send(handler, content, status=200, announced=None):
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content) if announced is None else announced))
    handler.end_headers()
    handler.wfile.write(content)


def good(handler, content):
    send(handler, content)


def cut_off(handler, content):
    send(handler, content[:-100], announced=len(content))


def truncated(handler, content):
    send(handler, content[:-100])


def wrong(handler, content):
    send(handler, b"<html>please log in</html>")


def gone(handler, content):
    send(handler, b"not here", status=404)


def hangs_at_once(handler, content):
    handler.server.release.wait(30)


def hangs_midway(handler, content):
    send(handler, content[:-100], announced=len(content))
    handler.wfile.flush()
    handler.server.release.wait(30)


UNREACHABLE = {
    "refused": (None, "no network: the connection failed or broke off"),
    "hangs at once": (hangs_at_once, "did not answer, or not fast enough"),
    "hangs midway": (hangs_midway, "did not answer, or not fast enough"),
    "cut off": (cut_off, "no network: the connection failed or broke off"),
    "gone": (gone, "the server answered with status 404"),
}
