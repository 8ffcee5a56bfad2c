"""Seeds and switches: what is set, what comes too late, and what is only recorded."""

import os
import random
import subprocess
import sys
import types

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import determinism, set_determinism


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
        cuda=types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True),
    )
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


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, "7"])
def test_bad_seeds(seed):
    with pytest.raises(ParameterError, match="seed must be a whole number from 0 to 4294967295"):
        set_determinism(seed)


def test_the_largest_seed(clean_environment):
    assert set_determinism(2**32 - 1).seed == 2**32 - 1
