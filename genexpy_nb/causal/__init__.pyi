# What `genexpy_nb.causal` offers, and where it is; the module loads from this list. `x as x` is how a stub
# hands a name on.
from .design import Recorded as Recorded
from .design import run_independent as run_independent
from .design import run_paired as run_paired
from .effects import TreatmentEffect as TreatmentEffect
from .effects import average_treatment_effect as average_treatment_effect
from .effects import plan_systems as plan_systems
from .population import Comparison as Comparison
from .population import PipelinePopulation as PipelinePopulation
from .runs import Heterogeneity as Heterogeneity
from .runs import Runs as Runs
from .runs import from_results as from_results
from .runs import heterogeneity as heterogeneity
from .runs import individual_effects as individual_effects
