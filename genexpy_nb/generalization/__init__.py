"""Would another study agree? From results by way of kernels and the MMD to n*, the number of experiments it takes.

What users need of it is handed on by `genexpy_nb`. The room is not called generalizability, because a function is.
"""
