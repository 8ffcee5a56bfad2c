"""Reports: notebooks run with checked parameters and turned into pages that need no network."""

from genexpy_nb.common.errors import require

require(
    "reports",
    *("bs4", "ipykernel", "jinja2", "jupyter_client", "jupytext", "latex2mathml", "markupsafe", "mistune", "nbclient"),
    *("nbconvert", "nbformat", "nh3", "papermill", "pdoc", "pydantic", "pygments", "ruamel"),
)
