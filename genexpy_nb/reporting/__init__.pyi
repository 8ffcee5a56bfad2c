# What `genexpy_nb.reporting` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .parameters import Parameter as Parameter
from .parameters import check_parameters as check_parameters
from .parameters import parse_parameters as parse_parameters
from .pipeline import Outcome as Outcome
from .pipeline import render as render
from .spec import Report as Report
from .spec import load_reports as load_reports
