"""Reports: notebooks run with checked parameters and turned into pages that need no network."""

from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters
from genexpy_nb.reporting.pipeline import Outcome, render
from genexpy_nb.reporting.spec import Report, load_reports

__all__ = ["Outcome", "Parameter", "Report", "check_parameters", "load_reports", "parse_parameters", "render"]
