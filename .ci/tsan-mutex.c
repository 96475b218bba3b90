// Tells the thread sanitizer what Swift's Mutex does when it is contended.
//
// The fast path of Synchronization.Mutex is compiled into its user, so the sanitizer sees its atomics. The slow paths
// lie in libswiftSynchronization.so (Swift 6.3), which is not instrumented and locks in the kernel (FUTEX_LOCK_PI):
// the sanitizer sees neither and takes every access after a contended lock for a race. A program with nothing but
// one contended Mutex is reported. A suppression could only silence whole functions, and real races with them; this
// adds the two missing edges instead and silences nothing.
//
//   clang -shared -fPIC -O1 -o tsan-mutex.so .ci/tsan-mutex.c
//   LD_PRELOAD=$PWD/tsan-mutex.so swift test -c release --sanitize=thread …
//
// In processes without the sanitizer its functions are missing, and this does nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void Lock(uint32_t, SELF void *);
typedef SWIFT void Unlock(SELF void *);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *self) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *self) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *self) {
  static Lock *real;
  if (!real) real = (Lock *)dlsym(RTLD_NEXT, LOCK);
  real(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF void *self) {
  static Unlock *real;
  if (!real) real = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  real(self);
}
