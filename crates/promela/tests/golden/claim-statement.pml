chan c = [1] of { byte };
active proctype A() { c!1 }
never { do :: c?1 od }
trace { do :: c!1 :: skip od }
