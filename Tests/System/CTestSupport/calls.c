#define _GNU_SOURCE
#include "CTestSupport.h"
#include <spawn.h>
#include <sys/socket.h>

int continuo_test_accept(int listener) { return accept4(listener, 0, 0, SOCK_CLOEXEC); }

int continuo_test_close_rest(void *actions) {
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}
