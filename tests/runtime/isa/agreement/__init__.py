"""Header, table and interpreter agree, instruction by instruction: cases, C++ text, data, comparison."""
