"""A small project with notebooks and reports, made in code, for the tests of reports and command line."""

from pathlib import Path

from bs4 import BeautifulSoup

SMALL = r"""# %% [markdown]
# # A small notebook
#
# The number $n^* \le 3$ comes with a display:
#
# $$\mathbb{P}\left(\mathrm{mmd} < \varepsilon\right) \ge \alpha$$

# %% tags=["parameters"]
alpha: float = 0.95  # generalizability wanted, in (0, 1)
models: list[str] = ["svm", "knn"]  # which models to keep
seed: int = 3  # of the random numbers

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(seed)

# %% [markdown]
# ## Numbers & <em>tables</em>

# %%
frame = pd.DataFrame({"model": ["a < b", "knn"], "score": [0.5, -12.25], "$n^*$": [3, 14]})
frame

# %%
frame.style.format(precision=2)

# %%
pd.DataFrame(rng.normal(size=(3, 30)).round(2), columns=[f"a long column name {i}" for i in range(30)])

# %% [markdown]
# ## A figure

# %%
fig, ax = plt.subplots()
ax.plot(rng.normal(size=50).cumsum())
plt.show()

# %%
print(alpha, models, "x" * 200)
"""

FAILS = """# %% [markdown]
# # A notebook that fails

# %% tags=["parameters"]
n: int = 1  # how many

# %%
before = 41 + n
before

# %% [markdown]
# ## The broken part

# %%
fine = 1

raise RuntimeError("no <b>luck</b>")

# %%
never = "reached"
"""

SOURCED = """# %% tags=["parameters"]
source: str = "auto"  # original, bundled or auto

# %%
print(source)
"""

SOURCED_YAML = "notebook: 01_small\ntitle: A\ndata: [encoders]\n"


def here(make=None):
    """In place of `apart`, which starts processes: what its function, or another one, makes of each task, here."""

    def apart(function, tasks, jobs=1, client=None, start=lambda task: None):
        for task in tasks:
            start(task)
            yield task, (make or function)(task), ""

    return apart


def soup(file: Path) -> BeautifulSoup:
    """Parse a page."""
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


def one_report(root: Path, yaml: str, notebook: str = SMALL) -> Path:
    """Write a project with one notebook and one report."""
    return make_project(root, {"01_small": notebook}, {"small": yaml})


def make_project(root: Path, notebooks: dict[str, str], reports: dict[str, str]) -> Path:
    """Write ``notebooks/NAME.py`` and ``reports/NAME.yaml``."""
    for folder, ending, files in (("notebooks", "py", notebooks), ("reports", "yaml", reports)):
        (root / folder).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (root / folder / f"{name}.{ending}").write_text(text, encoding="utf-8")
    return root
