byte b = [2] of { byte };
chan c = [300] of { byte };
chan d = [1] of { unsigned };
active proctype A() { skip }
