// Functions of glibc that are missing in Swift's Glibc module, which is built without _GNU_SOURCE.
//
// Headers of glibc are not included: their types (sem_t, pthread_attr_t) would then belong to both this
// module and Glibc, and every file that uses them would have to import this module (MemberImportVisibility).
// The functions have new names to avoid conflicts with glibc's declarations if _GNU_SOURCE is defined.
#pragma once

// int sem_clockwait(sem_t *, clockid_t, const struct timespec *), glibc 2.30.
extern int continuo_sem_clockwait(void *semaphore, int clock, const void *deadline) __asm__("sem_clockwait");

// int pthread_setname_np(pthread_t, const char *), glibc 2.12.
extern int continuo_pthread_setname(unsigned long thread, const char *name) __asm__("pthread_setname_np");

// int sched_getaffinity(pid_t, size_t, cpu_set_t *) and int sched_setaffinity(pid_t, size_t, const cpu_set_t
// *), glibc 2.3.4. The set has `size` bytes, with one bit per processor.
extern int continuo_sched_getaffinity(int thread, unsigned long size, void *set) __asm__("sched_getaffinity");
extern int continuo_sched_setaffinity(int thread, unsigned long size, const void *set) __asm__("sched_setaffinity");

// int prctl(int, ...).
extern int continuo_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
    __asm__("prctl");

// int malloc_trim(size_t), glibc 2.8: the module lacks <malloc.h>.
extern int continuo_malloc_trim(unsigned long pad) __asm__("malloc_trim");

// int mallopt(int, int), of the same header. The value of M_MMAP_THRESHOLD is -3.
extern int continuo_mallopt(int parameter, int value) __asm__("mallopt");

// void *memmem(const void *, size_t, const void *, size_t): a GNU extension, not part of POSIX.
extern void *continuo_memmem(const void *text, unsigned long size, const void *part, unsigned long partSize)
    __asm__("memmem");

// int fallocate(int, int, off_t, off_t), glibc 2.10. Mode 3 punches a hole (FALLOC_FL_PUNCH_HOLE |
// FALLOC_FL_KEEP_SIZE).
extern int continuo_fallocate(int descriptor, int mode, long offset, long length) __asm__("fallocate");

// int renameat2(int, const char *, int, const char *, unsigned int), glibc 2.28. Flag 1 (RENAME_NOREPLACE)
// never replaces a file.
extern int continuo_renameat2(int oldFolder, const char *oldPath, int newFolder, const char *newPath,
                              unsigned int flags) __asm__("renameat2");

// <sys/epoll.h>, which the module lacks: epoll_create1, epoll_ctl, epoll_wait, glibc 2.9, and struct
// epoll_event, which the kernel packs on x86-64 only.
struct continuo_epoll_event {
  unsigned int events;
  unsigned long data;
}
#ifdef __x86_64__
__attribute__((packed))
#endif
;
extern int continuo_epoll_create(int flags) __asm__("epoll_create1");
extern int continuo_epoll_ctl(int epoll, int operation, int descriptor, struct continuo_epoll_event *event)
    __asm__("epoll_ctl");
extern int continuo_epoll_wait(int epoll, struct continuo_epoll_event *events, int count, int milliseconds)
    __asm__("epoll_wait");

// The two functions of libdispatch with which CoreFoundation's run loop runs the main queue: the eventfd that
// becomes readable with the queue's first work item, and the call that runs the items. Both on the main
// thread only; unlike `dispatch_main` they leave that thread to its owner.
extern int continuo_main_queue_descriptor(void) __asm__("_dispatch_get_main_queue_handle_4CF");
extern void continuo_main_queue_run(void *unused) __asm__("_dispatch_main_queue_callback_4CF");
// int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *), glibc 2.4.
extern int continuo_ppoll(void *descriptors, unsigned long count, const void *timeout, const void *mask)
    __asm__("ppoll");
