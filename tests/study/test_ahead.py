"""Before and during a study: what is planned from tables, watched while it runs, and kept of it."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from click.testing import CliRunner
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.conclusions.contenders import rows_of
from genexpy_nb.conclusions.watching import e_process
from genexpy_nb.study.planning import of_a_new_table


def scores(n=40, k=6, apart=1.0, seed=0):
    """One leads, the others are alike; experiments are not in the order of their names."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, k)), columns=[f"m{i}" for i in range(k)])
    frame["m0"] += apart
    return frame.set_axis(pd.Index([f"d{i:03}" for i in reversed(range(n))], name="dataset"))


def as_rows(frame):
    return frame.rename_axis(columns="model").stack().rename("accuracy").reset_index()


# --- plan -------------------------------------------------------------------------------------------------------------


def test_a_plan_is_the_same_from_a_study_a_frame_and_a_file(tmp_path):
    rows = as_rows(scores())
    rows.to_csv(tmp_path / "mine.csv", index=False)
    study = gx.Study(rows, alternatives="model", target="accuracy", generalize_over="dataset")
    with pytest.warns(gx.errors.StudyWarning, match="guessed"):
        found = [gx.plan_study(like, 4, "order", 0.7) for like in (study, rows, str(tmp_path / "mine.csv"))]
    assert len({(plan.n, plan.low, plan.high) for plan in found}) == 1
    assert found[2].tables["table"].tolist() == ["mine.csv"] and "datasets" in str(found[2])
    worse = gx.Study(
        rows.assign(accuracy=-rows["accuracy"]), alternatives="model", target="accuracy", over="dataset",
        higher_is_better=False,
    )  # fmt: skip
    assert gx.plan_study(worse, 4, "order", 0.7).n == found[0].n


def test_several_tables_give_their_mean_and_a_prediction_interval():
    like = [gx.Study.from_wide(scores(apart=apart)) for apart in (1.2, 1.6, 2.4)]
    alone = [gx.plan_study(each, 6, "winner", 0.5) for each in like]
    together = gx.plan_study(like, 6, "winner", 0.5)
    logs = together.tables["log_n"]
    # of least squares, which knows nothing of this rule: the interval of one more observation, with a constant alone
    at = sm.OLS(logs, np.ones(3)).fit().get_prediction([1]).summary_frame(alpha=0.05)
    assert logs.var() > together.tables["error"].pow(2).mean()
    low, n = (np.exp(at[end][0]) for end in ("obs_ci_lower", "mean"))
    assert together.n == np.ceil(n) and together.low == max(5, np.floor(low))
    high = np.ceil(np.exp(at["obs_ci_upper"][0]))
    assert together.high == (high if high <= 400 else np.inf)
    for plan, n in zip(alone, together.tables["n"], strict=True):
        assert plan.n == pytest.approx(n, rel=0.3)  # other random numbers
    assert "from 3 earlier studies" in str(together) and "from 1 earlier study)" in str(alone[0])


def test_tables_that_agree_by_chance_leave_open_what_each_leaves_open():
    tables = pd.DataFrame({"log_n": [3.0, 3.0], "error": [0.01, 0.02], "n_experiments": [99, 50]})
    low, high = np.exp(stats.t.interval(0.95, 1, 3, np.sqrt(0.00025 * 1.5)))
    assert of_a_new_table(tables, 2) == (np.ceil(np.exp(3)), np.floor(low), np.ceil(high))
    low, high = np.exp(stats.t.interval(0.95, 5, 3, 0.02))  # of six groups
    assert of_a_new_table(tables.iloc[1:], 2) == (np.ceil(np.exp(3)), np.floor(low), np.ceil(high))
    assert of_a_new_table(tables.assign(log_n=9.0), 2) == (np.inf, np.inf, np.inf)


@pytest.mark.slow  # eighty studies
def test_a_planned_number_is_what_fresh_studies_need():
    """The world itself, 300 studies of the planned size, judged by the test of `Study.contenders`."""
    plan = gx.plan_study(gx.Study.from_wide(scores(100, apart=1.2)), 6, "winner", 0.5)
    shares = []
    for n in (plan.n / 1.5, plan.n * 1.5):
        alone = [
            gx.Study.from_wide(scores(round(n), apart=1.2, seed=seed)).contenders(by="rank")["may_be_best"].sum() == 1
            for seed in range(1, 41)
        ]
        shares.append(np.mean(alone))
    assert shares[0] < 0.6 and shares[1] > 0.5


def test_what_tables_cannot_tell_is_not_said():
    plan = gx.plan_study(gx.Study.from_wide(scores(apart=0)), 6, "winner", 0.9)
    assert np.isinf(plan.n) and "more than 400 datasets" in str(plan)


@pytest.mark.parametrize(
    ("like", "k", "message"),
    [
        ("encoder", 6, "no file 'encoder'.*encoders, fewshot"),
        ([], 6, "like must name"),
        ("replicates", 9, "9 alternat"),
    ],
)
def test_a_plan_from_what_is_not_there(like, k, message):
    with pytest.raises(gx.errors.GenexpyError, match=message):
        gx.plan_study(like, k)


def test_the_command_says_it_in_words(tmp_path):
    as_rows(scores()).to_csv(tmp_path / "mine.csv", index=False)
    asked = ["plan", "--like", str(tmp_path / "mine.csv"), "--like", "mteb", "--methods", "4", "--ask", "order"]
    done = CliRunner().invoke(main, [*asked, "--probability", ".7"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("To have 70 % of the pairs of 4 alternatives in the same order again: about ")
    assert "from 2 earlier studies" in done.stdout and "mine.csv: about" in done.stdout
    assert "note: The roles of columns were guessed" in done.stderr


# --- watch ------------------------------------------------------------------------------------------------------------


def test_a_study_is_watched_in_the_order_of_its_table():
    frame = scores()
    watched = gx.Study.from_wide(frame).watch()
    rows = rows_of(frame.to_numpy(), "rank", True)
    for i, name in enumerate(frame):
        mean = np.mean([e_process(rows[:, j] - rows[:, i]) for j in range(6) if j != i], axis=0)
        assert watched.contenders.loc[name, "e"] == pytest.approx(mean[-1])
        assert watched.contenders.loc[name, "may_be_best"] == (mean.max() < 20)
    backwards = gx.Study.from_wide(frame.iloc[::-1]).watch()
    assert not backwards.contenders["e"].equals(watched.contenders["e"])
    same = gx.Study.from_wide(frame.iloc[::-1]).watch(order=frame.index.tolist())
    pd.testing.assert_frame_equal(same.contenders, watched.contenders)
    with pytest.raises(gx.errors.ParameterError, match="each of the 40 experiments once"):
        gx.Study.from_wide(frame).watch(order=["d001"])


def test_what_is_watched_says_what_looking_cost():
    study = gx.Study.from_wide(scores(apart=2))
    watched = study.watch(level=0.1)
    fixed = study.contenders(level=0.1)["may_be_best"]
    assert watched.contenders["fixed"].equals(fixed)
    left = watched.history["contenders"]
    assert left.is_monotonic_decreasing and left.iloc[-1] == watched.contenders["may_be_best"].sum()
    assert f"{left.iloc[-1]} of 6 may still be the best" in str(watched) and f"leave {fixed.sum()}" in str(watched)
    assert set(watched.pairs["better"]) == {"m0"} and watched.pairs["e"].ge(300).all()


def test_clusters_are_watched_as_one_experiment_each():
    frame = scores().assign(table=lambda f: [f"t{i // 4}" for i in range(len(f))]).reset_index()
    watched = gx.Study.from_wide(frame, generalize_over="dataset", cluster="table").watch()
    assert len(watched.history) == 10
    means = frame.groupby("table")[[f"m{i}" for i in range(6)]].mean().loc[[f"t{i}" for i in range(10)]]
    assert watched.contenders["e"].equals(gx.Study.from_wide(means).watch().contenders["e"])


def test_a_live_study_may_stop_whenever_its_winner_is_alone():
    frame = scores(200, 3, apart=2).to_numpy()
    asked = []

    def run(n):
        asked.append(n)
        return frame[sum(asked[:-1]) : sum(asked)]

    options = {"step": 1, "budget": 200, "higher_is_better": True, "delta": 0.2}
    done = gx.run_generalizable_study(run, gx.MallowsKernel(), stop="winner", valid="anytime", **options)
    assert (done.reason, done.contenders) == ("enough", (0,)) and set(asked) == {1}
    watched = gx.Study.from_wide(pd.DataFrame(frame[: len(asked)])).watch()
    assert watched.contenders["left_after"].max() == len(asked) and done.history["contenders"].iloc[-2] > 1
    with pytest.raises(gx.errors.ParameterError, match="valid='anytime'"):
        gx.run_generalizable_study(run, gx.MallowsKernel(), stop="winner", **options)


# --- lite -------------------------------------------------------------------------------------------------------------


def test_few_experiments_are_named_and_judged():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(np.arange(9) / 3, 1, (30, 9)), [f"d{i}" for i in range(30)], list("abcdefghi"))
    found = gx.Study.from_wide(frame).lite(8)
    assert len(set(found.experiments)) == 8 and set(found.experiments) <= set(frame.index)
    lower = gx.Study.from_wide(-frame, higher_is_better=False).lite(8)
    assert (lower.experiments, lower.agreement) == (found.experiments, found.agreement)
    assert f"{found.agreement:.2f}" in str(found) and f"{found.at_random:.2f}" in str(found)
