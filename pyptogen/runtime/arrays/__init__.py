"""Arrays between Python and native code: element types, fresh buffers, arguments, packed weights."""
