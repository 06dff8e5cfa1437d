chan c = [0] of { byte };
active proctype A() priority 2 { c!1 }
active proctype B() { c?1 }
