/* The programming interface of VeriSoft: P. Godefroid, "Model checking for
 * programming languages using VeriSoft" (POPL 1997) and "Exploiting symmetry
 * when model-checking software" (FORTE 1999), Figure 2.
 *
 *   cc -include verisoft.h phil.c -o phil     (or #include "verisoft.h")
 *   burnside run -- ./phil
 *
 * Without Burnside the same binary runs on the semaphores of the system.
 *
 * VS_toss(n)         some number from 0 to n; a search tries all of them
 * VS_assert(e)       e must hold
 * semwait(i)         takes one from semaphore i of the set made last
 * semsignal(i)       adds one to it
 * semsetval(i, v)    sets it
 */
#ifndef BURNSIDE_VERISOFT_H
#define BURNSIDE_VERISOFT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/types.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Answered by Burnside when it runs the program, absent otherwise. */
extern int burnside_toss(int greatest) __attribute__((weak));
extern void burnside_assert(int holds, const char *text, const char *file, int line) __attribute__((weak));

static int vs_set_ __attribute__((unused)) = -1;

static inline int vs_semget_(key_t key, int count, int flags)
{
    return vs_set_ = semget(key, count, flags);
}

static inline void vs_semop_(int number, int change)
{
    struct sembuf operation;
    operation.sem_num = (unsigned short)number;
    operation.sem_op = (short)change;
    operation.sem_flg = 0;
    if (semop(vs_set_, &operation, 1) != 0) {
        perror("semop");
        exit(2);
    }
}

static inline void vs_semsetval_(int number, int value)
{
    union { int val; void *buf; } argument;
    argument.buf = 0;
    argument.val = value;
    if (semctl(vs_set_, number, SETVAL, argument) == -1) {
        perror("semctl");
        exit(2);
    }
}

static inline int vs_toss_(int greatest)
{
    return burnside_toss ? burnside_toss(greatest) : rand() % (greatest + 1);
}

static inline void vs_assert_(int holds, const char *text, const char *file, int line)
{
    if (burnside_assert) {
        burnside_assert(holds, text, file, line);
    } else if (!holds) {
        fprintf(stderr, "VS_assert(%s) failed, %s:%d\n", text, file, line);
        abort();
    }
}

#ifdef __cplusplus
}
#endif

#define semget(key, count, flags) vs_semget_(key, count, flags)
#define semwait(number) vs_semop_(number, -1)
#define semsignal(number) vs_semop_(number, 1)
#define semsetval(number, value) vs_semsetval_(number, value)
#define VS_toss(greatest) vs_toss_(greatest)
#define VS_assert(condition) vs_assert_(!!(condition), #condition, __FILE__, __LINE__)

#endif
