"""Reports: notebooks run with checked parameters and turned into pages that need no network."""

import lazy_loader

from genexpy_nb.common.errors import require

require(
    "reports",
    *("bs4", "ipykernel", "jinja2", "jupyter_client", "jupytext", "latex2mathml", "markupsafe", "mistune", "nbclient"),
    *("nbconvert", "nbformat", "nh3", "papermill", "pdoc", "psutil", "pydantic", "pygments", "ruamel"),
)

# What is here is loaded when it is first used (`__init__.pyi` says what there is): jupyter takes a second, which the
# summary of a study need not wait for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
