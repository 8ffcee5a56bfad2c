# What `genexpy_nb` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a name on.
from . import causal as causal
from . import datasets as datasets
from . import fields as fields
from . import generalization as generalization
from . import plots as plots
from . import protocol as protocol
from . import significance as significance
from . import tradeoff as tradeoff
from .common import errors as errors
from .common.exercises import check as check
from .datasets.reading import read_results as read_results
from .fields.pooling import pool as pool
from .generalization.contract import check_kernel as check_kernel
from .generalization.kernels import BordaKernel as BordaKernel
from .generalization.kernels import JaccardKernel as JaccardKernel
from .generalization.kernels import MallowsKernel as MallowsKernel
from .generalization.kernels import RBFKernel as RBFKernel
from .generalization.nstar import estimate_nstar as estimate_nstar
from .own_study.card import assert_conclusion as assert_conclusion
from .own_study.card import card as card
from .own_study.from_python import report as report
from .study.answers import Answers as Answers
from .study.planning import plan as plan
from .study.planning import plan_study as plan_study
from .study.planning import run_generalizable_study as run_generalizable_study
from .study.study import Study as Study

__version__: str
