"""This project's own experiments: real fits on tables that scikit-learn and statsmodels carry, and on docstrings.

``encoders`` (on the tasks of ``tasks``) and ``fewshot`` are benchmarks of the shape of the published ones;
``replicates`` runs encoders on many random splits of each dataset. ``text`` is a population of text classifiers, and
``comparisons`` a few models on data that is at hand. ``tables`` and ``corpus`` get the data without a download.
"""
