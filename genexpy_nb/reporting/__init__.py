"""Reports: notebooks run with checked parameters and turned into pages that need no network."""

import lazy_loader

from genexpy_nb.common.extras import require

require(
    "reports",
    *(
        "bs4",
        "docutils",
        "griffe",
        "ipykernel",
        "jinja2",
        "jupyter_client",
        "jupytext",
        "markupsafe",
        "mistune",
        "nbclient",
        "nbconvert",
        "nbformat",
        "nh3",
        "numpydoc",
    ),
    *("papermill", "psutil", "py_mini_racer", "pydantic", "pygments", "ruamel", "sphinx-mathjax-offline", "tinycss2"),
)

# What is here is loaded when it is first used (`__init__.pyi` says what there is): jupyter takes a second, which the
# summary of a study need not wait for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
