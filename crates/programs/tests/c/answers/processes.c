// Processes whose calls are not simulated to the letter: no false deadlock.
// expect -DUNDO: inconclusive
// expect -DANY_CHILD: inconclusive
// expect -DNOBODY_POSTS: deadlock
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static int set;

static void operate(int change, int flags)
{
    struct sembuf one = {0, change, flags};
    semop(set, &one, 1);
}

int main(void)
{
    set = semget(IPC_PRIVATE, 1, 0600);
#if defined UNDO
    semctl(set, 0, SETVAL, 1);
    if (!fork()) {
        operate(-1, SEM_UNDO);
        _exit(0);
    }
    wait(0);
    operate(-1, 0);
#elif defined ANY_CHILD
    // The first child waits for something that is done when the second has ended.
    for (int i = 0; i < 2; i++)
        if (!fork()) {
            if (i == 0)
                operate(-1, 0);
            _exit(0);
        }
    wait(0);
    operate(1, 0);
    wait(0);
#else
    if (!fork()) {
        operate(-1, 0);
        _exit(0);
    }
    wait(0);
#endif
    semctl(set, 0, IPC_RMID);
    return 0;
}
