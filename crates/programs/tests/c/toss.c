/* Some throw of two dice makes twelve. */
#include "verisoft.h"
int main(void)
{
    int first = VS_toss(5) + 1, second = VS_toss(5) + 1;
    VS_assert(first + second != 12);
    return 0;
}
