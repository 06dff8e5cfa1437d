mtype = { red };
chan c = [1] of { byte };
active proctype A() { red = 1; _nr_pr = 2; _nr_pr++; c?_last; _priority++ }
