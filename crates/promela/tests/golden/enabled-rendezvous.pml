chan c = [0] of { byte };
active proctype A() { c!1 }
active proctype B() { c?1 }
never { do :: enabled(1) od }
