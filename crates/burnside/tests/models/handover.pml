/* Two clerks bring notes to a bookkeeper, who forgets that a second note may come. */
#ifndef CLERKS
#define CLERKS 2
#endif
mtype = { deposit, receipt };
chan desk = [0] of { mtype, byte };
chan tray[CLERKS + 1] = [1] of { mtype };
byte balance;

active [CLERKS] proctype Clerk()
{
	desk ! deposit, _pid;
	tray[_pid] ? receipt;
	printf("clerk %d is done\n", _pid)
}

active proctype Bookkeeper()
{	byte who;
	desk ? deposit, who;
	atomic { balance++; tray[who] ! receipt }
	assert(balance == 1)
}
