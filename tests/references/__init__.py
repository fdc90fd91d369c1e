"""The operators written by hand in numpy, from their definitions: the judges of golden and kernels.

Nothing here imports the tool. Arrays go in and come out in the dtypes of the operators' contracts.
"""
