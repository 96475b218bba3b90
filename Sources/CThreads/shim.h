// Calls of glibc that Swift's Glibc module hides, because it is built without _GNU_SOURCE.
//
// No header of glibc is included: its types (sem_t, pthread_attr_t) would then belong to this module as well as to
// Glibc, and every file that uses them would have to import this one (MemberImportVisibility). Names of their own,
// so that they cannot clash with glibc's declarations where _GNU_SOURCE is defined.
#pragma once

// int sem_clockwait(sem_t *, clockid_t, const struct timespec *), glibc 2.30.
extern int continuo_sem_clockwait(void *semaphore, int clock, const void *deadline) __asm__("sem_clockwait");

// int pthread_setname_np(pthread_t, const char *), glibc 2.12.
extern int continuo_pthread_setname(unsigned long thread, const char *name) __asm__("pthread_setname_np");
