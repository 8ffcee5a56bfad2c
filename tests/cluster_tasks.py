"""Tasks for the tests of clusters, in a module that workers import in no time."""

import os
import signal

from genexpy_nb import causal

COMPARISON = causal.PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]}).compare(
    "weighting", "tf-idf", "counts"
)


def known(combination, seed):
    return {"error": seed % 97 + combination["ngrams"]}


class Killed:
    """An evaluation that kills the worker that it runs in, the first time."""

    key = "killed"

    def __init__(self, caller, mark):
        self.caller, self.mark = caller, mark

    def __call__(self, combination, seed):
        if os.getpid() != self.caller and not self.mark.exists():
            self.mark.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return known(combination, seed)


def run_encoders(name):
    from genexpy_nb.chapters import encoders
    from genexpy_nb.datasets.tasks import load_task

    return encoders.run_task(load_task(name), ["OHE", "TE"], ["GNB"], ["AUC"], n_folds=2)
