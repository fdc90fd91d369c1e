"""From C++ sources to shared objects: the compiler, its flags, the headers, and the store of what was built."""
