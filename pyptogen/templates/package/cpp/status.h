/* What an operator returns. A message says more: `<library>_message()`, or `Status::message()` in C++. */
#ifndef PYPTOGEN_STATUS_H
#define PYPTOGEN_STATUS_H

enum {
  PYPTOGEN_OK = 0,
  PYPTOGEN_ARGUMENT = 1,     /* an array is missing or misaligned, a scalar is beyond its type */
  PYPTOGEN_SIZE = 2,         /* a size is out of the operator's range, or arrays do not fit each other */
  PYPTOGEN_OVERLAP = 3,      /* an array that is written shares memory with another */
  PYPTOGEN_PRECONDITION = 4, /* what the spec requires does not hold */
  PYPTOGEN_INDEX = 5,        /* an index names no place */
  PYPTOGEN_FAILED = 6,       /* memory or threads ran out; outputs are undefined */
  PYPTOGEN_UNAVAILABLE = 7   /* the library has no kernels for this machine */
};

#endif
