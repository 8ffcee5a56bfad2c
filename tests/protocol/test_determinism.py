"""Seeds and switches: what is set, what comes too late, and what is only recorded."""

import os
import random
import subprocess
import sys
import types
from dataclasses import replace

import numpy as np
import pytest
from joblib import Parallel, delayed
from made_up_trials import IRIS, quick
from sklearn.neighbors import NearestCentroid
from threadpoolctl import threadpool_info

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.extras import MissingExtraError
from genexpy_nb.common.random import seeds
from genexpy_nb.protocol import (
    checklist,
    determinism,
    global_seed,
    gpu_and_driver,
    loader_options,
    make_splits,
    seed_worker,
    seeded,
    set_determinism,
)


def test_seeds_are_set_and_what_comes_too_late_is_said(clean_environment):
    record = set_determinism(42)
    assert random.random() == random.Random(42).random()
    assert np.random.random() == np.random.RandomState(42).random_sample()  # noqa: NPY002
    table = record.to_frame().set_index("setting")
    assert table.loc["random.seed", "status"] == table.loc["numpy.random.seed", "status"] == "set"
    assert os.environ["PYTHONHASHSEED"] == "0"
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
    assert table.loc["PYTHONHASHSEED", "status"] == "partly"
    assert "PYTHONHASHSEED" in record.not_set
    assert record.seed == 42
    assert record.versions["numpy"] == np.__version__
    assert record.versions["python"] == sys.version.split()[0]
    assert record.versions["platform"].split()[0] in ("Linux", "Darwin", "Windows")
    assert record.to_frame().columns.to_list() == ["setting", "value", "status", "note"]
    assert "numpy.random.seed" in record._repr_html_()


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
    clean_environment.delenv("MKL_NUM_THREADS", raising=False)
    record = set_determinism(1)
    table = record.to_frame().set_index("setting")
    assert (table.filter(like="torch", axis=0)["status"] == "not installed").all()
    assert table.loc["CUBLAS_WORKSPACE_CONFIG", ["value", "status"]].to_list() == [":16:8", "set"]
    assert table.loc["jax", "status"] == "not set"
    assert "jax" in record.not_set
    assert "tensorflow" not in table.index
    assert table.loc["OMP_NUM_THREADS", ["value", "status"]].to_list() == ["3", "recorded"]
    assert table.loc["MKL_NUM_THREADS", "value"] == "(not in the environment)"
    assert table["status"].value_counts()["recorded"] == 3 + len({pool["internal_api"] for pool in threadpool_info()})


def test_torch_is_set_where_it_is_installed(clean_environment):
    calls = {}

    def refuse(value):
        raise RuntimeError("no deterministic kernels")

    cudnn = types.SimpleNamespace(deterministic=False, benchmark=True)
    torch = types.SimpleNamespace(
        manual_seed=lambda seed: calls.update(seed=seed),
        use_deterministic_algorithms=refuse,
        backends=types.SimpleNamespace(cudnn=cudnn),
        cuda=types.SimpleNamespace(
            is_available=lambda: True,
            is_initialized=lambda: True,
            device_count=lambda: 2,
            get_device_name=lambda i: f"Made-up GPU {i}",
        ),
        version=types.SimpleNamespace(cuda="12.1"),
    )
    cudnn.version = lambda: 90100
    clean_environment.setitem(sys.modules, "torch", torch)
    record = set_determinism(13)
    table = record.to_frame().set_index("setting")
    assert calls == {"seed": 13}
    assert (cudnn.deterministic, cudnn.benchmark) == (True, False)
    assert table.loc["torch.manual_seed", "status"] == "set"
    assert table.loc["torch.use_deterministic_algorithms", "status"] == "not set"
    assert "no deterministic kernels" in table.loc["torch.use_deterministic_algorithms", "note"]
    assert table.loc["CUBLAS_WORKSPACE_CONFIG", "status"] == "partly"
    assert "torch.use_deterministic_algorithms" in record.not_set
    torch.cuda.is_initialized = lambda: False
    assert set_determinism(13).to_frame().set_index("setting").loc["CUBLAS_WORKSPACE_CONFIG", "status"] == "set"
    assert record.hardware["GPU"] == "Made-up GPU 0, Made-up GPU 1"
    assert (record.hardware["CUDA"], record.hardware["cuDNN"]) == ("12.1", "90100")
    assert table.loc["seeds of data loaders"].to_list() == [
        "",
        "recorded",
        "give each DataLoader **loader_options(seed)",
    ]
    torch.cuda.is_available = lambda: False
    torch.version.cuda, cudnn.version = None, lambda: None
    assert gpu_and_driver()["CUDA"] == "torch without CUDA"
    assert gpu_and_driver()["cuDNN"] == "torch without cuDNN"
    assert "torch sees none" in gpu_and_driver()["GPU"] or determinism._nvidia_smi()[0]


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, "7"])
def test_bad_seeds(seed):
    with pytest.raises(ParameterError, match="seed must be a whole number from 0 to 4294967295"):
        set_determinism(seed)


def test_the_largest_seed(clean_environment):
    assert set_determinism(2**32 - 1).seed == 2**32 - 1


def draw(n=1):
    """What a task might draw from the global generators of its process."""
    return [(random.random(), float(np.random.random())) for _ in range(n)]  # noqa: NPY002


def test_tasks_draw_the_same_in_any_process():
    """Each task has its seed: the worker that gets it, and what it did before, change nothing."""
    tasks = seeds(5, 6)
    expected = [(random.Random(seed).random(), float(np.random.RandomState(seed).random_sample())) for seed in tasks]
    for n_jobs in (1, 2):
        found = Parallel(n_jobs=n_jobs)(delayed(seeded(draw, seed))() for seed in tasks)
        assert [task[0] for task in found] == expected
    unseeded = Parallel(n_jobs=2)(delayed(draw)() for _ in range(2))
    assert unseeded[0] != found[0]  # the same call without a seed does not repeat
    assert seeded(draw, 7)(n=2) == seeded(draw, 7)(2)
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        seeded(draw, -1)


def test_generators_are_put_back_even_after_an_error():
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    with pytest.raises(KeyError), global_seed(3):
        draw()
        raise KeyError
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


class MadeUpTorch(types.SimpleNamespace):
    """As much of torch as its loaders' seeds need."""

    def __init__(self):
        class Generator:
            def manual_seed(self, seed):
                self.seed = seed
                return self

        super().__init__(Generator=Generator, initial_seed=lambda: 2**32 + 11, __spec__=types.SimpleNamespace())


def test_loaders_and_their_workers_are_seeded(clean_environment):
    clean_environment.setitem(sys.modules, "torch", MadeUpTorch())
    options = loader_options(7)
    assert options["generator"].seed == 7
    options["worker_init_fn"](3)
    assert random.random() == random.Random(11).random()  # the seed that torch gave the worker, modulo 2**32
    assert np.random.random() == np.random.RandomState(11).random_sample()  # noqa: NPY002
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        loader_options("7")


def test_loaders_of_torch_itself():
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.arange(40))

    def order(seed, epochs=2):
        loader = torch.utils.data.DataLoader(data, shuffle=True, num_workers=2, **loader_options(seed))
        return [[int(row[0]) for row in loader] for _ in range(epochs)]

    assert order(7) == order(7) != order(13)
    assert order(7)[0] != order(7)[1]


def test_without_torch_there_are_no_loaders(clean_environment):
    clean_environment.delitem(sys.modules, "torch", raising=False)
    clean_environment.setattr("genexpy_nb.common.extras.find_spec", lambda name: None)
    for ask in (lambda: loader_options(7), lambda: seed_worker(0)):
        with pytest.raises(MissingExtraError, match="torch is not installed"):
            ask()


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
    expected = {"GPU": "no GPU found (nvidia-smi is not there, torch is not installed)", "GPU driver": "no GPU"}
    assert gpu_and_driver() == expected
    nvidia("echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9")
    assert gpu_and_driver() == {**expected, "GPU": expected["GPU"].replace("is not there", "names none")}
    assert set_determinism(7).hardware == gpu_and_driver()


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
