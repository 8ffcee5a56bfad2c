"""Reports: notebooks run with checked parameters and turned into pages that need no network."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters
    from genexpy_nb.reporting.pipeline import Outcome, render
    from genexpy_nb.reporting.spec import Report, load_reports

__all__ = ["Outcome", "Parameter", "Report", "check_parameters", "load_reports", "parse_parameters", "render"]

_MODULES = {
    **dict.fromkeys(["Parameter", "check_parameters", "parse_parameters"], "parameters"),
    **dict.fromkeys(["Outcome", "render"], "pipeline"),
    **dict.fromkeys(["Report", "load_reports"], "spec"),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for: jupyter takes a second, which the summary of a study need not wait for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
