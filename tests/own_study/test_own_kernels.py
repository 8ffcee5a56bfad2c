"""A kernel as text is the same kernel in another process, or it is said why not."""

import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from made_up_kernels import NoKernel, SameLoser

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.contract import MEMBERS
from genexpy_nb.own_study.own_kernels import kernel_as_text, kernel_from_text
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import command

FILE = __file__.replace("own_study/test_own_kernels.py", "made_up_kernels.py")
SCORES = np.random.default_rng(3).normal([0.9, 0.8, 0.5], 0.2, (12, 3))
RANKINGS = rank_scores(SCORES, higher_is_better=True)


OWN = [gx.JaccardKernel(k=2), gx.BordaKernel("a (b), c:d"), gx.BordaKernel(1, nu=0.5), gx.MallowsKernel()]


@pytest.mark.parametrize("kernel", [*OWN, gx.RBFKernel(2.0)], ids=repr)
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
        ("no.such.module:A", "No module named"),
        ("/nowhere/a.py:A", "there is no file"),
        (f"{FILE}:NoKernel", "NoKernel lacks on, question, gram, epsilon"),
    ],
)
def test_what_names_no_kernel_is_refused(text, problem):
    with pytest.raises(ParameterError, match=problem):
        kernel_from_text(text)


def test_a_file_that_stops_is_named_and_can_be_mended(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("1 / 0", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"mine\.py, line 1\): the file stopped with ZeroDivisionError"):
        kernel_from_text(f"{file}:SameLoser")
    file.write_text("from genexpy_nb import MallowsKernel", encoding="utf-8")
    assert kernel_from_text(f"{file}:MallowsKernel") == gx.MallowsKernel()


def test_a_kernel_that_cannot_be_told_is_refused():
    class Inside(SameLoser):
        pass

    with pytest.raises(ParameterError, match="Inside"):
        kernel_as_text(Inside())
    with pytest.raises(ParameterError, match="NoKernel lacks"):
        kernel_as_text(NoKernel())
    with pytest.raises(ParameterError, match="another process"):
        kernel_as_text(SameLoser(otherwise=np.float32(0.1)))  # its text is no value that Python can read
    plain = type("Plain", (), {name: getattr(SameLoser, name) for name in MEMBERS})()
    plain.otherwise = 0.0
    with pytest.raises(ParameterError, match="make it a dataclass"):
        kernel_as_text(plain)


def test_a_request_asks_what_its_kernels_ask(tmp_path):
    table = pd.DataFrame(SCORES, columns=["a", "b", "c"]).assign(task=range(len(SCORES)))
    table.to_csv(tmp_path / "m.csv", index=False)
    mine = f"{FILE}:SameLoser(otherwise=0.5)"
    kernels = ["genexpy_nb:JaccardKernel", "genexpy_nb:MallowsKernel()", mine]
    roles = {"over": ["task"], "wide": True, "higher_is_better": "higher"}
    request = StudyRequest(str(tmp_path / "m.csv"), **roles, kernels=kernels)
    answers = request.answers(request.study())
    assert answers.nstar["kernel"].tolist() == ["Jaccard(1)", "Mallows", "Same loser"]
    expected = request.study().nstar(SameLoser(otherwise=0.5))["nstar"]
    assert answers.nstar["nstar"].iloc[2] == expected.iloc[0]
    assert "Same loser" in answers.enough_in_words
    assert f"--kernel '{mine}'" in command(request) and command(request).count("--kernel") == 1
    with pytest.raises(ParameterError, match="there is no file"):
        StudyRequest(request.results, over=["task"], wide=True, higher_is_better="higher", kernels=["no.py:A"]).study()


# --- the contract -----------------------------------------------------------------------------------------------------

HEAD = """import sys, numpy as np
from dataclasses import dataclass
from genexpy_nb import MallowsKernel
from genexpy_nb.common.errors import ParameterError
M = MallowsKernel()
def rows(r): return np.asarray(r, dtype=float)
def told(): raise RuntimeError("two\\nlines")
class Unspeakable:
    def __repr__(self): raise KeyError("none")
class Mute(Exception):
    def __str__(self): raise KeyError("none")
"""
KEPT = """
class K:
    on = "rankings"; name = "K"; question = "Is it so?"
    def gram(self, r): return M.gram(r)
    def epsilon(self, d, n): return M.epsilon(d, n)
"""
#: What is in the class beside, or in place of, what keeps the contract.
BREAKS = [
    # attributes
    "on = 'ranks'", "on = np.array(['scores', 'scores'])", "name = ''", "name = 5", "name = 'x' * 5000",
    "name = 'Mallows'", "name = 'Borda(OHE)'", "name = 'a\\nb'", "name = 'a\\u202eb'",
    "name = property(lambda self: told())", "name = property(lambda self: sys.exit(0))", "name = Unspeakable()",
    "question = ''", "about = 3", "about = property(lambda self: 1 / 0)",
    "alternative = property(lambda self: told())",
    # similarities
    "gram = 5", "gram = lambda self, r: None", "gram = lambda self, r: sys.exit(0)",
    "gram = lambda self, r: self.gram(r)", "gram = lambda self, r: told()",
    "gram = lambda self, r: (print('hello'), M.gram(r))[1]", "gram = lambda self, r: np.ones((2, 2))",
    "gram = lambda self, r: M.gram(r) * np.nan", "gram = lambda self, r: 2 * M.gram(r)",
    "gram = lambda self, r: np.triu(M.gram(r))", "gram = lambda self, r: M.gram(r) + np.random.rand(len(r), 1)",
    "gram = lambda self, r: M.gram(r) + 0j", "gram = lambda self, r: Unspeakable()",
    "gram = lambda self, r: np.eye(len(r))", "gram = lambda self, r: rows(r) @ rows(r).T",
    "gram = lambda self, r: 1 - (rows(r)[:, None] != rows(r)).mean(axis=2) ** 0.1 * 3",
    "def gram(self, r): raise Mute", "def gram(self, r): raise GeneratorExit",
    "def gram(self, r): raise ParameterError('never')", "def gram(self, r): return r.nothing",
    "def gram(self, r): self.n = getattr(self, 'n', 0) + 1; return np.where(M.gram(r) == 1, 1, 1 / (4 + self.n % 2))",
    # thresholds
    "epsilon = 0.1", "epsilon = lambda self, d, n: np.nan", "epsilon = lambda self, d, n: -1.0",
    "epsilon = lambda self, d, n: 1 - d", "epsilon = lambda self, d, n: float(d)",
    "epsilon = lambda self, d, n: np.inf", "epsilon = lambda self, d, n: 0.3", "epsilon = lambda self, d: 0.3",
    "epsilon = lambda self, d, n: d / 2 if np.ndim(d) else d",
    # what it may offer, and how it is made
    "def __init__(self): sys.exit(0)", "def __init__(self, k): pass", "def __init__(self): print('hello')",
    "raise ValueError('in the class')", "sys.exit(0)", "print('hello')", "1 +",
]  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    file = tmp_path_factory.mktemp("table") / "m.csv"
    pd.DataFrame(SCORES, columns=["a", "b", "c"]).assign(task=range(len(SCORES))).to_csv(file, index=False)
    return str(file)


def asked(table, text, *more):
    roles = ["--wide", "--over", "task", "--higher-is-better"]
    return CliRunner().invoke(main, ["study", table, *roles, "--kernel", text, *more])


@pytest.mark.parametrize("broken", BREAKS)
def test_a_kernel_that_breaks_the_contract_ends_in_a_sentence(broken, table, tmp_path):
    file = tmp_path / "my kernels (2)" / "k: a.py"
    file.parent.mkdir()
    file.write_text(f"{HEAD}{KEPT}    {broken}\n", encoding="utf-8")
    result = asked(table, f"{file}:K")
    assert result.exit_code == 2 and result.stdout == "" and result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: kernel ")
    line = int(re.search(r"my kernels \(2\)/k: a\.py, line (\d+)\)", result.stderr)[1])
    assert (HEAD + KEPT).count("\n") - 4 <= line <= (HEAD + KEPT).count("\n") + 1 or broken.count("told()")


def test_one_that_keeps_it_is_asked(table, tmp_path):
    file = tmp_path / "my kernels (2)" / "k.py"
    file.parent.mkdir()
    file.write_text(f"{HEAD}{KEPT}@dataclass\nclass D(K):\n    k: int = 1\n", encoding="utf-8")
    for name in ("K", "K()", "D(k=2)"):
        found = asked(table, f"{file}:{name}", "--json")
        assert found.exit_code == 0 and '"K"' in found.stdout, found.stderr
    refused = asked(table, f"{file}:K(k=2)")
    assert refused.exit_code == 2 and "must be a dataclass to be given values" in refused.stderr


@pytest.mark.parametrize(
    "text", ["os:system(command='echo called > called')", "subprocess:Popen(args='x')", "os:system"]
)
def test_nothing_but_a_kernel_is_called(text, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = asked(table, text)
    assert result.exit_code == 2 and re.search("is no class|lacks on, name, question, gram, epsilon", result.stderr)
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_works_at_first_ends_in_a_sentence_later(table, tmp_path):
    for later in ("sys.exit(0)", "M.gram(r) * np.nan", "told()"):
        file = tmp_path / "later.py"
        made_up = "r.columns[-1] != 'c'"
        body = f"{KEPT}    gram = lambda self, r: M.gram(r) if {made_up} else {later}\n"
        file.write_text(f"{HEAD}{body}", encoding="utf-8")
        result = asked(table, f"{file}:K", "--json")
        assert result.exit_code == 2 and result.stdout == ""
        assert re.search(r"later\.py, line \d+\): gram", result.stderr)


def test_a_kernel_is_checked_before_it_is_used_from_python(tmp_path):
    study, ran, bad = gx.Study.from_wide(pd.DataFrame(SCORES, columns=["a", "b", "c"])), [], SameLoser(otherwise=2.0)
    with pytest.raises(ParameterError, match="two kernels are called 'Same loser'"):
        study.nstar([SameLoser(), SameLoser(0.5)])
    for call in (
        lambda: gx.check_kernel(bad),
        lambda: study.nstar([gx.JaccardKernel(), bad]),
        lambda: gx.Answers(study, bad),
        lambda: gx.report(study, tmp_path / "x.html", kernels=bad),
        lambda: gx.run_generalizable_study(ran.append, bad),
    ):
        with pytest.raises(ParameterError, match=r"kernel SameLoser \(.*made_up_kernels\.py, line \d+\): gram must"):
            call()
    assert not ran
