"""Draw the picture of the README: ``python docs/make_picture.py``."""

from pathlib import Path

import genexpy_nb as gx
from genexpy_nb.plots.study import rank_positions

gx.plots.use_style()
study = gx.Study(
    gx.datasets.load_encoders("bundled"),
    alternatives="encoder",
    target="cv_score",
    generalize_over="dataset",
    fixed={"model": "LR", "tuning": "no", "scoring": "AUC"},
)
fig = rank_positions(study.ranking())
fig.savefig(Path(__file__).with_name("picture.svg"), metadata={"Date": None})
