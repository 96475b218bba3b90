#include <stdlib.h>

// Tests that run at a time. Swift Testing 6.3 runs twice as many as there are processors, which is few for tests that mostly
// wait for real time; a process can only say so in its environment, before its first test.
__attribute__((constructor)) static void setWidth(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "40", 0);
}
