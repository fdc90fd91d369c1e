"""placeholder"""
from pyptogen.lower.instruction.ir import InstrKernel


def run(kernel: InstrKernel) -> InstrKernel:
    return kernel
