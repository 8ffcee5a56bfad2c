"""A kernel as text is the same kernel in another process, or it is said why not."""

import numpy as np
import pandas as pd
import pytest
from made_up_kernels import NoKernel, SameLoser

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.own_study.own_kernels import kernel_as_text, kernel_from_text
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import command

FILE = __file__.replace("own_study/test_own_kernels.py", "made_up_kernels.py")
SCORES = np.random.default_rng(3).normal([0.9, 0.8, 0.5], 0.2, (12, 3))
RANKINGS = rank_scores(SCORES, higher_is_better=True)


@pytest.mark.parametrize(
    "kernel",
    [
        gx.JaccardKernel(k=2),
        gx.BordaKernel("a (b), c:d"),
        gx.BordaKernel(1, nu=0.5),
        gx.MallowsKernel(),
        gx.RBFKernel(2.0),
    ],
    ids=repr,
)
def test_kernels_of_the_package_go_through_text(kernel):
    assert kernel_from_text(kernel_as_text(kernel)) == kernel


@pytest.mark.parametrize("kernel", [SameLoser(), SameLoser(otherwise=0.25)], ids=repr)
def test_a_kernel_of_ones_own_goes_through_text(kernel):
    text = kernel_as_text(kernel)
    assert text.startswith(f"{FILE}:SameLoser")  # the other process may not find the module by its name
    back = kernel_from_text(text)
    assert type(back) is not SameLoser and repr(back) == repr(kernel)
    np.testing.assert_array_equal(back.gram(RANKINGS), kernel.gram(RANKINGS))
    assert kernel_from_text(text) == back  # the file is not executed twice


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("JaccardKernel", "module:Class"),
        ("genexpy_nb:JaccardKernel(3)", "module:Class"),  # values have names
        ("genexpy_nb:JaccardKernel(k=x)", "module:Class"),
        ("genexpy_nb:JaccardKernel().gram", "module:Class"),
        ("genexpy_nb:__import__('os')", "module:Class"),
        ("genexpy_nb.generalization.kernels:JacardKernel", "did you mean 'JaccardKernel'"),
        ("genexpy_nb:JaccardKernel(n=3)", "unexpected keyword"),
        ("genexpy_nb:JaccardKernel(k=0)", "k must be"),
        ("no.such.module:A", "cannot be imported"),
        ("/nowhere/a.py:A", "there is no file"),
        (f"{FILE}:NoKernel", "lacks something of a kernel"),
    ],
)
def test_what_names_no_kernel_is_refused(text, problem):
    with pytest.raises(ParameterError, match=problem):
        kernel_from_text(text)


def test_a_file_that_stops_is_named_and_can_be_mended(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("1 / 0", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"mine\.py stopped with ZeroDivisionError"):
        kernel_from_text(f"{file}:SameLoser")
    file.write_text("from genexpy_nb import MallowsKernel", encoding="utf-8")
    assert kernel_from_text(f"{file}:MallowsKernel") == gx.MallowsKernel()


def test_a_kernel_that_cannot_be_told_is_refused():
    class Inside(SameLoser):
        pass

    with pytest.raises(ParameterError, match="Inside"):
        kernel_as_text(Inside())
    with pytest.raises(ParameterError, match="lacks something"):
        kernel_as_text(NoKernel())
    with pytest.raises(ParameterError, match="another process"):
        kernel_as_text(SameLoser(otherwise=np.float32(0.1)))  # its text is no value that Python can read


def test_a_request_asks_what_its_kernels_ask(tmp_path):
    table = pd.DataFrame(SCORES, columns=["a", "b", "c"]).assign(task=range(len(SCORES)))
    table.to_csv(tmp_path / "m.csv", index=False)
    mine = f"{FILE}:SameLoser(otherwise=0.5)"
    kernels = ["genexpy_nb:JaccardKernel", "genexpy_nb:MallowsKernel()", mine]
    request = StudyRequest(
        str(tmp_path / "m.csv"), over=["task"], wide=True, higher_is_better="higher", kernels=kernels
    )
    answers = request.answers(request.study())
    assert answers.nstar["kernel"].tolist() == ["Jaccard(1)", "Mallows", "Same loser"]
    expected = request.study().nstar(SameLoser(otherwise=0.5))["nstar"]
    assert answers.nstar["nstar"].iloc[2] == expected.iloc[0]
    assert "Same loser" in answers.enough_in_words
    assert f"--kernel '{mine}'" in command(request) and command(request).count("--kernel") == 1
    with pytest.raises(ParameterError, match="there is no file"):
        StudyRequest(request.results, over=["task"], wide=True, higher_is_better="higher", kernels=["no.py:A"]).study()
