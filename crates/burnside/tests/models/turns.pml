/* Processes that take turns by their numbers. */
#include "turns-count.pml"
byte turn;

active [N] proctype P()
{
end:	do
	:: turn == _pid -> turn = (turn + 1) % N
	od
}
