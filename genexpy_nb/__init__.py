"""Can the conclusions of an experimental study in machine learning be trusted beyond the experiments that were run?"""

from genexpy_nb import datasets, plots
from genexpy_nb.errors import DataError, GenexpyError, ParameterError, StudyError
from genexpy_nb.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.mmd import mmd, mmd_distribution
from genexpy_nb.nstar import (
    NStar,
    bound,
    closed_form,
    definition,
    estimate_nstar,
    generalizability,
    power_law,
    redrawn_estimates,
)
from genexpy_nb.published import published_nstar
from genexpy_nb.rankings import rank_scores
from genexpy_nb.study import Study, plan
from genexpy_nb.workflow import SequentialStudy, run_generalizable_study

__version__ = "0.1.0"

__all__ = [
    "BordaKernel",
    "DataError",
    "GenexpyError",
    "JaccardKernel",
    "MallowsKernel",
    "NStar",
    "ParameterError",
    "RBFKernel",
    "SequentialStudy",
    "Study",
    "StudyError",
    "bound",
    "closed_form",
    "datasets",
    "definition",
    "estimate_nstar",
    "generalizability",
    "mmd",
    "mmd_distribution",
    "plan",
    "plots",
    "power_law",
    "published_nstar",
    "rank_scores",
    "redrawn_estimates",
    "run_generalizable_study",
]
