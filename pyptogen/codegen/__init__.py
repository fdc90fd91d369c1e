"""Programs → text: the C++ of kernels and orchestration, and what is reported of them. `templates/` has the forms."""

from pyptogen.codegen.generate import Generated, KernelSource, generate, lowered

__all__ = ["Generated", "KernelSource", "generate", "lowered"]
