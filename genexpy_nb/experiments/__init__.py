"""This project's own experiments: real fits on tables that scikit-learn and statsmodels carry."""
