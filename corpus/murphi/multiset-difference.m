-- What is in one multiset is taken out of another.
-- expect: holds
-- states: 64
-- rules: 264
-- deadlock: off
type P: scalarset(3); B: multiset [3] of P;
var b: B; c: B;
startstate begin undefine b; undefine c; end;
ruleset p: P do rule "b" multisetcount(i: b, b[i] = p) = 0 ==> begin multisetadd(p, b); end; end;
ruleset p: P do rule "c" multisetcount(i: c, c[i] = p) = 0 ==> begin multisetadd(p, c); end; end;
rule "minus" true ==> begin multisetremovepred(i: b, multisetcount(j: c, c[j] = b[i]) > 0); end;
rule "none" multisetcount(i: b, true) = 0 ==> begin undefine c; end;
invariant forall p: P do multisetcount(i: b, b[i] = p) <= 1 end;
