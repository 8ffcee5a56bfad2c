"""Own modules of torch from their training to the two tables of a report, and docs/tradeoff_torch.md as a new user."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from genexpy_nb.chapters.tradeoff import averaged_sign_errors
from genexpy_nb.common.errors import DataError, ParameterError, StudyWarning
from genexpy_nb.datasets import load_tradeoff_cells, load_tradeoff_measures
from genexpy_nb.tradeoff import MEASURES, to_array, tradeoff_point
from genexpy_nb.tradeoff.compare import slice_marginal
from genexpy_nb.tradeoff.images import SSIM_LEVELS, ImageTask, PCANoise, digits_task
from runs.complexity import NOISE_ERRORS
from runs.grid import run_testbed
from runs.torchrecords import measure_modules
from runs.torchtraining import TrainedFamily, levels_at_hand, tradeoff_files

torch = pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")
nn = torch.nn
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tradeoff_torch.md"
GRAY = {"mean": (0.0,), "std": (1.0,), "device": "cpu"}


def perceptron(width):
    def make(n_classes):
        return nn.Sequential(nn.Flatten(), nn.Linear(64, width), nn.ReLU(), nn.Linear(width, n_classes))

    return make


def family(*widths, **settings):
    made = {f"width {width}": perceptron(width) for width in widths}
    return TrainedFamily("own", made, **(GRAY | {"loss": 0.2, "step": 0.01} | settings))


@pytest.fixture(scope="module")
def digits():
    task = digits_task(0)
    seen = np.flatnonzero(np.isin(task.train_labels, task.seen))[:150]
    return task.train_images[seen], task.train_labels[seen]


def test_training_ends_at_the_loss_that_is_wanted(digits):
    images, labels = digits
    trained = family(12).trained("width 12", images, labels, 0)
    with torch.no_grad():
        scores = trained.module(torch.from_numpy(images[:, None])).double().numpy()
    chances = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    loss = -np.log(chances[np.arange(len(labels)), np.unique(labels, return_inverse=True)[1]]).mean()
    assert trained.about["loss"] == pytest.approx(loss, rel=1e-4) and loss <= 0.2
    assert trained.about["converged"] and 1 < trained.about["epochs"] < 100 and not trained.module.training
    assert trained.size == 64 * 12 + 12 + 5 * 12 + 5
    late = family(12, max_epochs=1).trained("width 12", images, labels, 0)
    assert late.about["epochs"] == 1 and not late.about["converged"] and late.about["loss"] > 0.2
    assert any(not torch.equal(trained.initial[k], v) for k, v in trained.module.state_dict().items())
    assert all(torch.equal(trained.initial[k], late.initial[k]) for k in late.initial)


def test_a_seed_decides_whichever_others_are_trained(digits):
    torch.manual_seed(4)
    before = torch.random.get_rng_state()
    one, same, other = (family(8, 12).pretrain("width 12", *digits, seed) for seed in (1, 1, 2))
    alone = family(12).pretrain("width 12", *digits, 1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert_array_equal(one.features(digits[0]), same.features(digits[0]))
    assert_array_equal(one.features(digits[0]), alone.features(digits[0]))
    assert not np.array_equal(one.features(digits[0]), other.features(digits[0]))
    hidden = one.module[:3](torch.from_numpy(digits[0][:, None])).detach().numpy()
    assert_allclose(one.features(digits[0]), hidden, rtol=1e-6)


def test_what_is_kept_is_not_trained_again(digits, tmp_path, monkeypatch):
    first = family(12, folder=tmp_path).trained("width 12", *digits, 0)
    # Something of torch, which stands by its version: a changed method of the family would be another family.
    monkeypatch.setattr(torch.optim, "Adam", lambda *_: pytest.fail("trained again"))
    again = family(12, 30, folder=str(tmp_path)).trained("width 12", *digits, 0)
    assert again.about == first.about and again.size == first.size
    for name, values in first.module.state_dict().items():
        assert torch.equal(values, again.module.state_dict()[name])
        assert torch.equal(first.initial[name], again.initial[name])
    (file,) = tmp_path.iterdir()
    for other in ({"loss": 0.1}, {"batch": 9}, {"mean": (0.1,)}):
        with pytest.raises(pytest.fail.Exception, match="trained again"):
            family(12, folder=tmp_path, **other).trained("width 12", *digits, 0)
    with pytest.raises(pytest.fail.Exception, match="trained again"):
        family(12, folder=tmp_path).trained("width 12", digits[0], digits[1][::-1], 0)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(DataError, match=r"\.pt cannot be read, delete it"):
        family(12, folder=tmp_path).trained("width 12", *digits, 0)


def test_own_training(digits):
    seen = {}

    def fit(module, images, labels):
        seen.update(images=images, labels=labels)
        with torch.no_grad():
            module[3].bias.fill_(7)

    trained = family(12, fit=fit).trained("width 12", *digits, 0)
    assert trained.module[3].bias.tolist() == [7] * 5 and np.isnan(trained.about["loss"])
    assert_allclose(seen["images"][:, 0], digits[0])
    assert_array_equal(seen["labels"], np.unique(digits[1], return_inverse=True)[1])


def test_what_does_not_fit_is_named(digits):
    for changed, message in (
        ({"batch": 0}, "batch"),
        ({"loss": 0}, "loss"),
        ({"std": (0.0,)}, "std above 0"),
        ({"mean": (0.0, 1.0)}, "a value per channel"),
    ):
        with pytest.raises(ParameterError, match=message):
            family(12, **changed)
    with pytest.raises(ParameterError, match="modules must have at least one member"):
        TrainedFamily("none", {})
    with pytest.raises(ParameterError, match="did you mean 'width 12'"):
        family(12).trained("width 13", *digits, 0)
    with pytest.raises(ParameterError, match="modules must return 5 outputs per image"):
        TrainedFamily("f", {"m": lambda n: perceptron(4)(n + 1)}, **GRAY).trained("m", *digits, 0)
    with pytest.raises(ParameterError, match=r"torch\.nn\.Module, got int"):
        TrainedFamily("f", {"m": lambda n: n}, **GRAY).trained("m", *digits, 0)


def test_measures_of_a_family_are_of_the_networks_that_it_tests(tmp_path):
    task, own = digits_task(0), family(6, 12, folder=tmp_path)
    table = measure_modules(task, own, 1, n_noisy=50, n_perturbations=2)
    seen = np.isin(task.train_labels, task.seen)
    sizes = [own.pretrain(m, task.train_images[seen], task.train_labels[seen], 1).size for m in own.members]
    assert table["size"].tolist() == sizes and table["converged"].all()
    assert table.columns.tolist() == [
        *("family", "seed", "member", "size", "loss", "epochs", "converged"),
        *MEASURES,
        *NOISE_ERRORS,
    ]
    trained = own.trained("width 12", task.train_images[seen], task.train_labels[seen], 1)
    weights = trained.module.state_dict()
    norm = sum(float((weights[f"{i}.weight"].double() ** 2).sum()) for i in (1, 3))
    assert table["param_norm"].iloc[1] == pytest.approx(norm, rel=1e-6)
    moved = [(weights[name] - trained.initial[name]).double() for name in ("1.weight", "3.weight")]
    distance = sum(float((values**2).sum()) for values in moved)
    assert table["fro_dist"].iloc[1] == pytest.approx(distance, rel=1e-5)


def test_networks_that_did_not_learn_are_named(tmp_path):
    with pytest.warns(StudyWarning, match="1 of 1 networks did not reach .* width 6 of own with seed 0, [12]"):
        tradeoff_files(
            digits_task, [family(6, max_epochs=1)], [0], [0], [1.0], folder=tmp_path, progress=False, n_perturbations=1
        )


def test_levels_that_images_can_have():
    rng = np.random.default_rng(0)
    flat = (0.5 + 0.01 * rng.standard_normal((60, 8, 8))).astype(np.float32)
    labels = np.arange(60) % 3
    task = ImageTask("flat", flat, labels, flat, labels, (0, 1), (2,))
    levels = levels_at_hand([task])
    assert 1.0 in levels and 0.6 not in levels  # each resembles the mean more than that
    assert levels_at_hand([task, digits_task(0)]) == levels
    smooth = np.kron(rng.random((60, 2, 2)), np.ones((4, 4))).astype(np.float32)
    lost = ImageTask("lost", digits_task(0).train_images[:9], labels[:9], smooth, labels, (0, 1), (2,))
    found = levels_at_hand([lost])  # eight components of other images are not enough for the highest
    assert found[-1] == 1 and 0.95 not in found
    noise = PCANoise().fit(lost.train_images)
    for level in SSIM_LEVELS[:-1]:
        if level in found:
            noise.degrade(lost.test_images, level)
        else:
            with pytest.raises(ParameterError, match="ssim must be in"):
                noise.degrade(lost.test_images, level)


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")  # whether all converge is no matter here
def test_page_as_a_new_user(tmp_path, monkeypatch, capsys):
    """The code blocks of the page, with fewer images, sizes and seeds; what comes out is what the report takes.

    The block about torchvision, which is not installed with torch, runs in data/runs/test_torchmodels.py with a
    made-up one.
    """
    text = PAGE.read_text(encoding="utf-8")
    images, script, _, encoders = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for long, short in (
        ("range(50)", "range(12)"),
        ("for w in (8, 16, 32, 64)", "for w in (4, 8)"),
        ("for w in (4, 8, 16, 32)", "for w in (2, 4)"),
        ("seeds=[0, 1]", "seeds=[0], ssim=[0.7, 1], progress=False, n_perturbations=2"),
    ):
        assert long in images + script
        images, script = images.replace(long, short), script.replace(long, short)
    monkeypatch.chdir(tmp_path)
    exec(images, {})
    assert len(list(Path("photos").rglob("*.jpg"))) == 6 * 12
    Path("mine_of_page.py").write_text(script, encoding="utf-8")
    encoders = "from mine_of_page import task\n" + encoders.replace('if __name__ == "__main__":', "if True:")
    Path("encoders_of_page.py").write_text(encoders, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("mine_of_page", "encoders_of_page"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import mine_of_page as mine

    def run():
        return tradeoff_files(
            mine.task, mine.families, [0], ssim=[0.7, 1], folder="mine", progress=False, n_perturbations=2
        )

    results, measures = run()
    cells, networks = load_tradeoff_cells(results), load_tradeoff_measures(measures)
    assert set(cells["family"]) == {"perceptrons", "convolutions"} and cells["zero_shot"].nunique() == 4
    stamp = results.stat().st_mtime_ns
    arrays = {name: to_array(part) for name, part in cells.groupby("family")}
    assert all(tradeoff_point(array).ssim in (0.7, 1) for array in arrays.values())
    assert set(zip(cells["family"], cells["size"], strict=True)) == set(
        zip(networks["family"], networks["size"], strict=True)
    )
    theory = networks.melt(["family", "seed", "size"], ["params", "l2"], "measure", "value")
    target = pd.concat([slice_marginal(array, "ssim").assign(family=name) for name, array in arrays.items()])
    assert averaged_sign_errors(theory, target)["sign_error"].notna().all()
    monkeypatch.setattr(torch.optim, "Adam", lambda *_: pytest.fail("trained again"))
    assert run()[0].stat().st_mtime_ns > stamp

    capsys.readouterr()
    import encoders_of_page

    shapes = capsys.readouterr().out.split("\n")[:-1]
    assert shapes == re.findall(r"\| (\(2, \d+\)) \|\n", text)
    embeddings = encoders_of_page.embeddings
    found = run_testbed(mine.task, [embeddings], [0], [0, 1], [0.7, 1], folder="encoders", progress=False)
    assert dict(to_array(found).sizes) == {"seed": 1, "zero_shot": 2, "ssim": 2, "size": 2}
    photos = mine.task(0).test_images[:3]
    assert all(embeddings.pretrain(m, None, None, 0).features(photos).shape == (3, 12) for m in embeddings.members)
