# What `genexpy_nb.generalization` offers, and where it is; the module loads from this list. `x as x` is how a stub
# hands a name on.
from .components import Components as Components
from .contract import check_kernel as check_kernel
from .discrepancy import mmd as mmd
from .exact import definition as definition
from .exact import exact_generalizability as exact_generalizability
from .exact import exact_mmd as exact_mmd
from .exact import exact_nstar as exact_nstar
from .exact import weak_orders as weak_orders
from .kernels import BordaKernel as BordaKernel
from .kernels import JaccardKernel as JaccardKernel
from .kernels import Kernel as Kernel
from .kernels import MallowsKernel as MallowsKernel
from .kernels import RBFKernel as RBFKernel
from .kernels import threshold as threshold
from .nstar import NStar as NStar
from .nstar import estimate_nstar as estimate_nstar
from .nstar import redrawn_estimates as redrawn_estimates
from .resampling import generalizability as generalizability
from .resampling import power_law as power_law
from .samplers import RankingDistribution as RankingDistribution
from .theory import bound as bound
from .theory import closed_form as closed_form
