-- `clear` names the least of values that are otherwise alike.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type V: 1..3;
var mem: V; old: V;
startstate begin undefine mem; undefine old; end;
ruleset v: V do rule "store" isundefined(mem) ==> begin mem := v; end; end;
rule "clear" !isundefined(mem) & isundefined(old) ==> begin old := mem; clear mem; end;
invariant isundefined(old) | old != mem;
