"""Would another study agree? Results to kernels to the MMD to n*; what users need of it is handed on by `genexpy_nb`.

The room is not called generalizability because a function of `genexpy_nb` is.
"""
