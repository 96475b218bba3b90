// Tells the thread sanitizer what Swift's runtime does between threads, where it is not instrumented (Swift 6.3).
//
// Mutex: the fast path of Synchronization.Mutex is compiled into its user, so the sanitizer sees its atomics. The slow
// paths lie in libswiftSynchronization.so and lock in the kernel (FUTEX_LOCK_PI): the sanitizer sees neither and takes
// every access after a contended lock for a race. A program with nothing but one contended Mutex is reported.
//
// Counts of references: who lets go of an array has read it before somebody who finds it unique grows it in place. The
// count that orders the two is kept by libswiftCore.so. A program that copies an array out of a Mutex and reads it while
// another thread appends to it in the Mutex is reported; with these edges it is not, and a variable that both change
// without the Mutex still is. They cost 20 % of the time of the engine's tests.
//
// Continuations: a task whose continuation is resumed before it waits goes on at once. The runtime tells the sanitizer of
// the other order only, where the task waits first, so that what was handed over is reported where the machine holds the
// task up between the two: 3 of 40 runs of calls over D-Bus, on 2 processors with 6 other processes.
//
// A suppression could only silence whole functions, and real races with them; this adds the missing edges instead and
// silences nothing.
//
//   clang -shared -fPIC -O1 -o tsan-runtime.so .ci/tsan-runtime.c
//   LD_PRELOAD=$PWD/tsan-runtime.so swift test -c release --sanitize=thread …
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

#define ASYNC __attribute__((swiftasynccall))

typedef ASYNC void Await(void *);

extern SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

ASYNC void swift_continuation_await(void *context) {
  static Await *real;
  if (!real) real = (Await *)dlsym(RTLD_NEXT, "swift_continuation_await");
  // Who resumes has released the task.
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return real(context);
}

#ifdef __x86_64__ // Elsewhere these functions may keep registers that C does not.
typedef void Release(void *);
typedef _Bool IsUnique(const void *);

void swift_release(void *object) {
  static Release *real;
  if (!real) real = (Release *)dlsym(RTLD_NEXT, "swift_release");
  // Null, and what has the highest bit, is no object.
  if (__tsan_release && (intptr_t)object > 0) __tsan_release(object);
  real(object);
}

_Bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
  static IsUnique *real;
  if (!real) real = (IsUnique *)dlsym(RTLD_NEXT, "swift_isUniquelyReferenced_nonNull_native");
  _Bool isUnique = real(object);
  if (isUnique && __tsan_acquire) __tsan_acquire((void *)object);
  return isUnique;
}
#endif
