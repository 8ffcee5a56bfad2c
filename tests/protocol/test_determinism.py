"""Seeds and switches: what is set, what comes too late, and what is only recorded."""

import os
import random
import sys
import types

import numpy as np
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import set_determinism


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
    assert record.versions["numpy"] == np.__version__


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


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, "7"])
def test_bad_seeds(seed):
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        set_determinism(seed)
