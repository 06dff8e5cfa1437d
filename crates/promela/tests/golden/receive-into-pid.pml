chan c = [1] of { pid };
active proctype A() { c?_pid }
