#pragma once

// What Swift's Glibc module hides, because it is built without _GNU_SOURCE. No header of glibc is included here: its types would
// then belong to this module.

/// Accepts a connection that no program inherits.
int continuo_test_accept(int listener);

/// Has a program that is started inherit no descriptor from 3 on; `actions` is a `posix_spawn_file_actions_t`.
int continuo_test_close_rest(void *actions);
