"""Looking at what the compiler made: reports, graph pictures, the library's gallery, swimlanes of a call."""

from pyptogen.inspect.gallery import Gallery, gallery
from pyptogen.inspect.report import KernelReport, MemoryUse, OperatorReport, PlatformReport, report
from pyptogen.inspect.swimlane import Bar, Swimlane, chrome_trace, swimlane

__all__ = [
    "Bar",
    "Gallery",
    "KernelReport",
    "MemoryUse",
    "OperatorReport",
    "PlatformReport",
    "Swimlane",
    "chrome_trace",
    "gallery",
    "report",
    "swimlane",
]
