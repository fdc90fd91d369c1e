"""The headers of the C++ library in the PyPI package `ziglang`, without the library, which it builds at first: a minute
of work."""

from __future__ import annotations

LIBRARY = {
    "ABI_VERSION": "1",
    "ABI_NAMESPACE": "__1",
    "ASSERTION_SEMANTIC_DEFAULT": "_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
    "HARDENING_MODE": "_LIBCPP_HARDENING_MODE_NONE",
    "HAS_FILESYSTEM": "1",
    "HAS_LOCALIZATION": "1",
    "HAS_MONOTONIC_CLOCK": "1",
    "HAS_MUSL_LIBC": "0",
    "HAS_THREADS": "1",
    "HAS_UNICODE": "1",
    "HAS_VENDOR_AVAILABILITY_ANNOTATIONS": "0",
    "HAS_WIDE_CHARACTERS": "1",
}
"""What the configuration header of libc++ would define, which the package does without."""


def library_configuration() -> list[str]:
    """Definitions with which its headers go without their configuration header."""
    return [f"-D_LIBCPP_{name}={value}" for name, value in LIBRARY.items()]
