"""Seeds and switches: what is set, what comes too late, and what is only recorded."""

import os
import random
import subprocess
import sys
import types
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_trials import IRIS, quick
from sklearn.neighbors import NearestCentroid
from threadpoolctl import threadpool_info

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import checklist, determinism, make_splits, set_determinism
from genexpy_nb.protocol.determinism import global_seed, gpu_and_driver


def table_of(record):
    return pd.DataFrame(record.settings, columns=["setting", "value", "status", "note"]).set_index("setting")


def test_seeds_are_set_and_what_comes_too_late_is_said(clean_environment):
    record = set_determinism(42)
    assert random.random() == random.Random(42).random()
    assert np.random.random() == np.random.RandomState(42).random_sample()  # noqa: NPY002
    table = table_of(record)
    assert table.loc["random.seed", "status"] == table.loc["numpy.random.seed", "status"] == "set"
    assert os.environ["PYTHONHASHSEED"] == "0"
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
    assert table.loc["PYTHONHASHSEED", "status"] == "partly"
    assert "PYTHONHASHSEED" in record.not_set
    assert record.seed == 42
    assert record.versions["numpy"] == np.__version__
    assert record.versions["python"] == sys.version.split()[0]
    assert record.versions["platform"].split()[0] in ("Linux", "Darwin", "Windows")


def test_hash_seed_counts_only_from_the_start_of_python(clean_environment):
    clean_environment.setenv("PYTHONHASHSEED", "0")  # too late for this process, which draws its own
    if sys.flags.hash_randomization:
        assert set_determinism(1).settings[0][2] == "partly"
    command = [sys.executable, "-c", "from genexpy_nb.protocol import set_determinism as s; print(s(1).settings[0][2])"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set"


def test_what_is_not_there_and_what_is_seeded_elsewhere_is_said(clean_environment):
    clean_environment.delitem(sys.modules, "torch", raising=False)
    clean_environment.setattr(determinism, "find_spec", lambda name: "there" if name == "jax" else None)
    clean_environment.setenv("OMP_NUM_THREADS", "3")
    clean_environment.setenv("CUDA_LAUNCH_BLOCKING", "1")
    clean_environment.delenv("MKL_NUM_THREADS", raising=False)
    record = set_determinism(1)
    table = table_of(record)
    assert (table.filter(like="torch", axis=0)["status"] == "not installed").all()
    assert table.loc["CUBLAS_WORKSPACE_CONFIG", ["value", "status"]].to_list() == [":16:8", "set"]
    assert table.loc["jax", "status"] == "not set"
    assert "jax" in record.not_set
    assert "tensorflow" not in table.index
    assert table.loc["OMP_NUM_THREADS", ["value", "status"]].to_list() == ["3", "recorded"]
    assert table.loc["MKL_NUM_THREADS", "value"] == "(not in the environment)"
    assert table.loc["CUDA_LAUNCH_BLOCKING", ["value", "status"]].to_list() == ["1", "recorded"]
    assert table["status"].value_counts()["recorded"] == 4 + len({pool["internal_api"] for pool in threadpool_info()})


def test_torch_is_set_where_it_is_installed(clean_environment):
    calls = {}

    def refuse(value):
        raise RuntimeError("no deterministic kernels")

    cudnn = types.SimpleNamespace(deterministic=False, benchmark=True)
    torch = types.SimpleNamespace(
        manual_seed=lambda seed: calls.update(seed=seed),
        use_deterministic_algorithms=refuse,
        backends=types.SimpleNamespace(cudnn=cudnn),
        cuda=types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True),
        version=types.SimpleNamespace(cuda="12.1"),
    )
    cudnn.version = lambda: 90100
    clean_environment.setitem(sys.modules, "torch", torch)
    record = set_determinism(13)
    table = table_of(record)
    assert calls == {"seed": 13}
    assert (cudnn.deterministic, cudnn.benchmark) == (True, False)
    assert table.loc["torch.manual_seed", "status"] == "set"
    assert table.loc["torch.use_deterministic_algorithms", "status"] == "not set"
    assert "no deterministic kernels" in table.loc["torch.use_deterministic_algorithms", "note"]
    assert table.loc["CUBLAS_WORKSPACE_CONFIG", "status"] == "partly"
    assert "torch.use_deterministic_algorithms" in record.not_set
    torch.cuda.is_initialized = lambda: False
    torch.use_deterministic_algorithms = lambda value: None
    (note,) = [note for name, *_, note in set_determinism(13).settings if name.endswith("_algorithms")]
    assert note == "operations without a deterministic version raise an error that names them"
    assert table_of(set_determinism(13)).loc["CUBLAS_WORKSPACE_CONFIG", "status"] == "set"
    assert (record.hardware["CUDA"], record.hardware["cuDNN"]) == ("12.1", "90100")
    assert table.loc["seeds of data loaders"].to_list() == [
        "",
        "recorded",
        "give each DataLoader a seeded generator, and a worker_init_fn that seeds Python and NumPy",
    ]
    torch.version.cuda, cudnn.version = None, lambda: None
    assert gpu_and_driver()["CUDA"] == "torch without CUDA"
    assert gpu_and_driver()["cuDNN"] == "torch without cuDNN"


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, "7"])
def test_bad_seeds(seed):
    with pytest.raises(ParameterError, match="seed must be a whole number from 0 to 4294967295"):
        set_determinism(seed)


def test_generators_are_put_back_even_after_an_error():
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    with pytest.raises(KeyError), global_seed(3):
        assert random.random() == random.Random(3).random()
        assert np.random.random() == np.random.RandomState(3).random_sample()  # noqa: NPY002
        raise KeyError
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


@pytest.fixture
def nvidia(tmp_path, clean_environment):
    """Put a made-up nvidia-smi, and nothing else, on the path; return what writes it."""
    clean_environment.delitem(sys.modules, "torch", raising=False)
    clean_environment.setattr(determinism, "find_spec", lambda name: None)
    clean_environment.setenv("PATH", str(tmp_path))

    def write(script):
        determinism._nvidia_smi.cache_clear()
        program = tmp_path / "nvidia-smi"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    determinism._nvidia_smi.cache_clear()
    yield write
    determinism._nvidia_smi.cache_clear()


def test_gpu_and_driver_as_nvidia_says(nvidia):
    nvidia("echo 'Made-up A100, 40 GB, 550.54.15'; echo 'Made-up A100, 40 GB, 550.54.15'")
    assert gpu_and_driver() == {"GPU": "Made-up A100, 40 GB, Made-up A100, 40 GB", "GPU driver": "550.54.15"}


def test_no_gpu_is_said(nvidia):
    expected = {"GPU": "no GPU found (nvidia-smi names none)", "GPU driver": "no GPU"}
    assert gpu_and_driver() == expected
    nvidia("echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9")
    assert gpu_and_driver() == set_determinism(7).hardware == expected


def test_the_checklist_has_workers_loaders_gpu_and_driver(nvidia):
    nvidia("echo 'Made-up A100, 550.54.15'")
    trials = quick({"centroid": NearestCentroid()}, *IRIS, make_splits(*IRIS, k=2), seeds=[7])
    record = set_determinism(7)
    table = checklist(trials, determinism=record).set_index("item")
    assert table.loc["GPU"].to_list() == ["Made-up A100", "done"]
    assert table.loc["GPU driver"].to_list() == ["550.54.15", "done"]
    assert table.loc["seeds of workers"].to_list() == ["each trial seeds its process with its own seed", "done"]
    assert "seeds of data loaders" not in table.index  # there is no torch
    loaders = ("seeds of data loaders", "", "recorded", "give each its seed")
    with_torch = replace(record, settings=(*record.settings, loaders))
    assert checklist(trials, determinism=with_torch).set_index("item").loc["seeds of data loaders"].to_list() == [
        "only the authors know: give each its seed",
        "open",
    ]
    assert (checklist(trials).set_index("item").loc[["GPU", "GPU driver"], "status"] == "open").all()
