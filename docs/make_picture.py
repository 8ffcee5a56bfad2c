"""Draw the picture of the README: ``python docs/make_picture.py`` (needs the published encoder results)."""

from pathlib import Path

import genexpy_nb as gx

gx.plots.use_style()
study = gx.Study(
    gx.datasets.load_encoders("original"),
    alternatives="encoder",
    target="cv_score",
    generalize_over="dataset",
    design=["model", "tuning", "scoring"],
)
planned = gx.plan(study.nstar(gx.JaccardKernel(k=1), alpha=0.95, delta=0.05))
fig = gx.plots.nstar_forest(planned, study.design, most=16)
fig.savefig(Path(__file__).with_name("picture.svg"), metadata={"Date": None})
