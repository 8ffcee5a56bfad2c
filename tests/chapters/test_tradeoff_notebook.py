"""What notebooks 07 and 15 say of tables of cells, against pandas and against worlds in which the answer is known."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from example_cells import example_table

from genexpy_nb.chapters import tradeoff as chapter
from genexpy_nb.datasets import load_tradeoff_cells
from genexpy_nb.tradeoff import to_array, tolerance_box, tradeoff_point
from genexpy_nb.tradeoff.array import KAPPAS


@pytest.fixture(scope="module")
def families():
    tables = {name: example_table(n_seeds=4, rng=seed) for seed, name in enumerate("ab")}
    tables["a"]["error_rate"] = (tables["a"]["error_rate"] + 0.5 * (0.8 - tables["a"]["ssim"])).clip(0, 1)
    return {name: to_array(table) for name, table in tables.items()}


def test_verdicts_are_told_for_each_part_of_the_array():
    counted = pd.DataFrame(
        {"measures": [3, 4, 5], "right": [1, 2, 0], "reversed": [1, 0, 0], "like chance": [1, 2, 5]},
        pd.MultiIndex.from_tuples([("a", "ssim"), ("b", "ssim"), ("a", "zero_shot")], names=["family", "slice"]),
    )
    assert chapter.verdicts_of(counted) == (
        "On clean images, 3 of 7 orders agree with the errors, 1 contradict them and 3 may be chance. On "
        "noisy images, chance could explain all 5 orders"
    )
    assert chapter.verdicts_of(counted.iloc[:0]) == "Nothing could be compared"


def test_versions_of_kappa_are_those_of_the_table_and_the_one_asked_for_is_first():
    cells = pd.DataFrame(columns=["conflict", "kappa", "mine"])
    assert chapter.kappa_versions(cells) == ["conflict", "cohen"]
    assert chapter.kappa_versions(cells, "cohen") == ["cohen", "conflict"]
    assert chapter.kappa_versions(cells, "mine") == ["mine", "conflict", "cohen"]


def test_curves_are_means_over_classes_and_sizes(families):
    curves = chapter.noise_curves(families, 0.3)  # 0.25 is the nearest share
    assert curves["panel"].unique().tolist() == ["25 % of the classes unseen"]
    part = curves[curves["family"] == "b"].set_index("ssim")
    expected = example_table(n_seeds=4, rng=1).query("zero_shot == 0.25").groupby("ssim")["error_rate"].mean()
    np.testing.assert_allclose(part["estimate"], expected[part.index])


def test_the_order_of_two_families(families):
    found = chapter.differences(families, 0.5)
    assert found["ssim"].tolist() == [1.0, 0.8, 0.6] and found.attrs["families"] == ("a", "b")
    # a was made better on clean images, and worse on noisy ones
    twice = pd.concat([found.assign(share=0.5), found.assign(share=1.0, low=-1.0, high=1.0)])
    half = "err less with 50 % of the classes unseen, and otherwise the order is unclear"
    assert chapter.errs_less(twice, 1.0, "ab") == f"a {half}"
    assert chapter.errs_less(twice, 0.6, "ab") == f"b {half}"
    assert chapter.turning(twice).endswith("depends on the noise at 1 of 2 shares of unseen classes")
    assert chapter.turning(twice[twice["share"] == 0.5]).endswith("depends on the noise")
    same = chapter.differences({"a": families["a"], "c": families["a"]}, 0)
    assert chapter.errs_less(same.assign(share=0), 1.0, "ac") == "the order is unclear"


@pytest.mark.parametrize("n", [1, 3])
def test_without_two_families_nothing_is_compared(families, n):
    some = {str(i): families["a"] for i in range(n)}
    found = chapter.differences(some, 0.4)
    assert found.empty and found.attrs["share"] == 0.5
    assert chapter.turning(found).startswith("We cannot compare")
    without_seeds = {name: to_array(example_table()) for name in "ab"}
    assert chapter.differences(without_seeds, 0.5).empty


def test_a_family_is_ahead_if_no_condition_says_otherwise():
    def said(*places, cleaner="high"):
        table = pd.DataFrame(places, columns=["ssim", "zero_shot", "size"])
        return chapter.ahead(table.assign(family=list("ab")[: len(places)]), cleaner)

    same, smaller = "the same noise, the same share of unseen classes", "a smaller network"
    assert said((0.8, 0.5, 200), (0.8, 0.5, 50)) == f"b are ahead of a: they reach {same} and {smaller}"
    assert said((0.6, 0.5, 50), (0.8, 0.4, 50)).endswith("they reach more noise, more unseen classes and the same size")
    assert said((0.6, 0.5, 50), (0.8, 0.5, 50), cleaner="low").startswith("b are ahead of a: they reach more noise")
    assert said((0.6, 0.4, 50), (0.8, 0.5, 50)) == "neither family is ahead in everything"
    assert said((0.6, 0.4, 50), (0.6, 0.4, 52)) == "the two families are level"
    assert said((0.6, 0.4, 50), (np.nan, 0.4, 50)) == said((0.6, 0.4, 50)) == "there are not two families to rank"


def test_measures_are_named_that_agree_on_clean_images():
    slices, verdicts = ["ssim"] * 4 + ["zero_shot"], ["right"] * 3 + ["reversed"] * 2
    table = pd.DataFrame({"slice": slices, "family": [*"ababa"], "measure": [*"mmnnn"], "verdict": verdicts})
    assert chapter.agreed(table, "right") == "1 measure (m)" and chapter.agreed(table, "reversed") == "no measure"
    counted = chapter.count_verdicts(table.assign(group=table["measure"], sign_error=0.2))
    assert chapter.orders_of(counted) == "2 different orders for a and 2 different orders for b"
    assert chapter.orders_of(counted.iloc[:0]).startswith("no order")


def test_errors_by_size_are_asked_where_there_are_slices():
    table = example_table(n_seeds=2)
    measured = chapter.errors_by_size({"f": to_array(table)})
    mean = measured.groupby(["slice", "size"])["estimate"].mean()
    for (which, size), value in mean.items():
        part = table[(table[which] == {"ssim": 1.0, "zero_shot": 0.0}[which]) & (table["size"] == size)]
        assert value == pytest.approx(part["error_rate"].mean())
    assert len(mean) == 4
    none = chapter.errors_by_size({"f": to_array(table[(table["ssim"] < 1) & (table["zero_shot"] > 0)])})
    averaged = chapter.averaged_sign_errors(chapter.measures_of(table.assign(family="f"), own=True), none)
    assert none.empty and averaged.empty
    assert chapter.count_verdicts(averaged).sum()[["measures", *chapter.VERDICTS]].eq(0).all()


def test_the_measure_of_own_models_is_their_size_unless_a_file_has_more(tmp_path):
    cells = example_table().assign(family="f")
    theory = chapter.measures_of(cells, own=True)
    assert theory["measure"].unique().tolist() == ["size"] and theory["value"].tolist() == [100, 1000]
    pd.DataFrame({"size": [100, 1000], "l2": [3.0, 2.0]}).to_csv(tmp_path / "measures.csv", index=False)
    theory = chapter.measures_of(cells, str(tmp_path / "measures.csv"), own=True)
    assert theory[["measure", "value"]].to_numpy().tolist() == [["l2", 3.0], ["l2", 2.0]]
    assert "number of weights" in set(chapter.measures_of(load_tradeoff_cells())["measure"])


def test_the_other_divisor_moves_two_points_as_the_errata_say():
    moved, cells = [], load_tradeoff_cells()
    for (family, part), kappa in product(cells.groupby("family", observed=True), KAPPAS):
        other = (array := to_array(part, kappa=kappa)).copy()
        n_classes = 5 / (1 - array["zero_shot"])  # five seen ones
        for name in ("error_std", "kappa_std"):
            other[name] = array[name] * np.sqrt(n_classes / (n_classes - 1))
        for method in ("weighted", "minimax"):
            points = [tradeoff_point(each, method=method) for each in (array, other)]
            if len({(point.ssim, point.zero_shot, point.size) for point in points}) == 2:
                moved.append((family, kappa, method))
    assert moved == [("convolutions", "cohen", "minimax"), ("perceptrons", "conflict_abs", "weighted")]


def test_weights_move_points_on_digits_from_the_cleanest_images_to_the_noisiest(families):
    parts = load_tradeoff_cells().groupby("family", sort=False, observed=True)
    digits = {str(name): to_array(part, kappa="conflict") for name, part in parts}
    ends = [[tradeoff_point(array, weight).ssim for array in digits.values()] for weight in (0.01, 10.0)]
    assert ends == [[1.0, 1.0], [0.6, 0.6]]
    said = chapter.moves(chapter.points_by_weight(digits), digits["perceptrons"])
    assert said == "moves from the cleanest to the noisiest images that we measured"
    table = chapter.points_by_weight(families)
    assert chapter.moves(table.assign(ssim=0.5), families["a"]) == "moves by up to 0.00 in SSIM"


def test_boxes_are_those_of_all_seeds_and_resamples_lie_around_them(families, shown):
    boxes = chapter.tolerance_boxes(families, [0.0, 0.3])
    for row in boxes.query("tolerated > 0").itertuples():
        box = tolerance_box(families[row.family], 0.3, "error_mean")
        assert (row.ssim, row.zero_shot, row.size) == (box.ssim, box.zero_shot, box.size)
        assert row.ssim_low <= row.ssim <= row.ssim_high and row.size_low <= row.size <= row.size_high
    assert boxes.query("tolerated == 0")["size"].isna().all()  # no cell is without errors
    at = boxes.query("tolerated == 0.3")
    far = at.assign(ssim=0.6, ssim_low=0.6, ssim_high=0.6, zero_shot=0.25, zero_shot_low=0.25, zero_shot_high=0.25)
    apart, neither = far.assign(size=[100, 1000]), "neither family is clearly ahead"
    apart = apart.assign(size_low=apart["size"], size_high=apart["size"])  # 100 is enough for a, and too small for b
    assert chapter.rank_boxes(apart, families).startswith("a are ahead of b")
    assert chapter.rank_boxes(apart.iloc[::-1], families).startswith("a are ahead of b")
    for name, ends in (("size_high", [1000, 1000]), ("size_low", 100), ("ssim_high", [0.8, 0.6]), ("zero_shot_low", 0)):
        assert chapter.rank_boxes(apart.assign(**{name: ends}), families) == neither
    low = {name: array.assign_attrs(cleaner="low") for name, array in families.items()}
    assert chapter.rank_boxes(apart.assign(ssim_high=[0.8, 0.6]), low).startswith("a are ahead of b")
    assert chapter.rank_boxes(apart.assign(ssim_low=[0.5, 0.6]), low) == neither
    hardest = at.assign(ssim=0.6, zero_shot=0.0, size=[100, 1000])
    assert "may go further" in chapter.at_edge(hardest, families)
    chapter.show_boxes(boxes, families["a"])
    for name, ax in zip(("ssim", "zero_shot", "size"), shown.figures["boxes"][0].axes, strict=True):
        heights = np.concatenate([bars[0].get_ydata() for bars in ax.containers])
        np.testing.assert_array_equal(heights.astype(float), boxes[name])


def test_gaps_stand_in_the_row_of_their_pair(shown):
    ends = {"estimate": [-0.2, 0.1, 0.3, 0.0], "low": [-0.3, 0.05, -0.1, -0.1], "high": [-0.1, 0.2, 0.7, 0.1]}
    table = pd.DataFrame({"family": list("xxyy"), "images": ["cleanest", "noisiest"] * 2, **ends})
    chapter.show_gaps(table, 3)
    figure, (caption, *_) = shown.figures["gaps"]
    assert caption.startswith("**With 3 seeds, no order clearly changes.**")
    for bars, (_, part) in zip(figure.axes[0].containers, table.groupby("images"), strict=True):
        np.testing.assert_array_equal(bars[0].get_xdata(), part["estimate"])
        assert bars[0].get_ydata().round().tolist() == [0, 1]
        np.testing.assert_allclose([line[:, 0] for line in bars[2][0].get_segments()], part[["low", "high"]])
