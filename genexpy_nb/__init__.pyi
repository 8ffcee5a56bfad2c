# What `genexpy_nb` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a name on.
from . import causal as causal
from . import datasets as datasets
from . import plots as plots
from . import protocol as protocol
from . import significance as significance
from . import tradeoff as tradeoff
from .common.errors import DataError as DataError
from .common.errors import GenexpyError as GenexpyError
from .common.errors import ParameterError as ParameterError
from .common.errors import StudyError as StudyError
from .common.errors import StudyWarning as StudyWarning
from .common.rankings import rank_scores as rank_scores
from .datasets.reading import read_results as read_results
from .generalization.answers import Answers as Answers
from .generalization.answers import answers as answers
from .generalization.discrepancy import mmd as mmd
from .generalization.discrepancy import mmd_distribution as mmd_distribution
from .generalization.kernels import BordaKernel as BordaKernel
from .generalization.kernels import JaccardKernel as JaccardKernel
from .generalization.kernels import MallowsKernel as MallowsKernel
from .generalization.kernels import RBFKernel as RBFKernel
from .generalization.nstar import NStar as NStar
from .generalization.nstar import estimate_nstar as estimate_nstar
from .generalization.nstar import redrawn_estimates as redrawn_estimates
from .generalization.published import published_nstar as published_nstar
from .generalization.resampling import generalizability as generalizability
from .generalization.resampling import power_law as power_law
from .generalization.sequential import SequentialStudy as SequentialStudy
from .generalization.sequential import run_generalizable_study as run_generalizable_study
from .generalization.simulation import definition as definition
from .generalization.study import Study as Study
from .generalization.study import plan as plan
from .generalization.study_plan import extend_first as extend_first
from .generalization.theory import bound as bound
from .generalization.theory import closed_form as closed_form

__version__: str
