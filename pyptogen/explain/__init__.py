"""What the tool can say about itself: operations of the language, and diagnostics."""

from pyptogen.explain.code import explain_code
from pyptogen.explain.operation import explain_operation, list_operations
from pyptogen.explain.platforms import Support, support
from pyptogen.explain.table import operations_page

__all__ = ["Support", "explain_code", "explain_operation", "list_operations", "operations_page", "support"]
