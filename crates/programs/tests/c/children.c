/* Processes that are waited for, by number and in any order. */
#include <assert.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static int set;

static void change(int by)
{
    struct sembuf one = { 0, by, 0 };
    semop(set, &one, 1);
}

int main(void)
{
    set = semget(IPC_PRIVATE, 1, 0600);
    pid_t first = fork();
    if (first == 0) {
        change(-1);
        exit(3);
    }
    pid_t second = fork();
    if (second == 0) {
#ifndef NEVER
        change(1);
#endif
        _exit(4);
    }
    int status;
    assert(waitpid(second, &status, 0) == second);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    assert(wait(&status) == first);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert(wait(&status) == -1);
    return 0;
}
