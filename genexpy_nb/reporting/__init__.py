"""Reports: notebooks run with checked parameters and turned into pages that need no network."""

# ruff: noqa: E402, what is missing is said before it is imported

from genexpy_nb.common.extras import require

require(
    "reports",
    *(
        "bs4",
        "ipykernel",
        "jinja2",
        "jupyter_client",
        "jupytext",
        "mistune",
        "nbclient",
        "nbconvert",
        "nbformat",
        "nh3",
    ),
    *("papermill", "psutil", "py_mini_racer", "pydantic", "pygments", "ruamel", "sphinx-mathjax-offline", "tinycss2"),
)

from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters
from genexpy_nb.reporting.pipeline import Outcome, render
from genexpy_nb.reporting.spec import Report, load_reports

__all__ = ["Outcome", "Parameter", "Report", "check_parameters", "load_reports", "parse_parameters", "render"]
