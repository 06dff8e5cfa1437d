// Calls that the kernel does by and by: everything that was asked for is received, and long messages are written in full.
// expect -DALL: holds
// expect -DALL_TOO_FEW: deadlock
// expect -DALL_EOF: holds
// expect -DLONG: holds
// expect -DLONG_PARTS: holds
// expect -DLONG_SOCKET: holds
// expect -DNOBODY_READS: deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// More than fits into a pipe or socket that is made as small as can be.
enum { SIZE = 11000, ROOM = 4096 };
static int ends[2];
static char text[SIZE], got[SIZE];

static void *receive(void *unused)
{
#if defined ALL || defined ALL_TOO_FEW
    assert(recv(ends[1], got, 4, MSG_WAITALL) == 4 && !memcmp(got, "abcd", 4));
#elif defined ALL_EOF
    assert(recv(ends[1], got, 4, MSG_WAITALL) == 2);
    assert(recv(ends[1], got, 4, MSG_WAITALL) == 0);
#elif !defined NOBODY_READS
    long n = 0, more;
    while (n < SIZE && (more = read(ends[0], got + n, SIZE - n)) > 0)
        n += more;
    assert(n == SIZE && !memcmp(got, text, SIZE));
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    memset(text, 'x', SIZE);
    text[5000] = 'y';
#if defined LONG || defined LONG_PARTS || defined NOBODY_READS
    assert(!pipe(ends) && fcntl(ends[1], F_SETPIPE_SZ, ROOM) == ROOM);
#else
    int room = ROOM;
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    assert(!setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room));
#endif
    pthread_create(&thread, 0, receive, 0);
#if defined ALL || defined ALL_TOO_FEW || defined ALL_EOF
    assert(send(ends[0], "ab", 2, 0) == 2);
#if defined ALL
    assert(send(ends[0], "cd", 2, 0) == 2);
#elif defined ALL_EOF
    assert(!shutdown(ends[0], SHUT_WR));
#endif
#elif defined LONG_PARTS
    struct iovec parts[2] = {{text, 6000}, {text + 6000, SIZE - 6000}};
    assert(writev(ends[1], parts, 2) == SIZE);
#elif defined LONG_SOCKET
    assert(send(ends[1], text, SIZE, 0) == SIZE);
#else
    assert(write(ends[1], text, SIZE) == SIZE);
#endif
    pthread_join(thread, 0);
    return 0;
}
