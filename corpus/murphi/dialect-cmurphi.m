-- What only CMurphi's dialect has: `undefined` as a value and as an argument, colons, priorities, unions.
-- expect: holds
-- states: 4
-- rules: 5

Type Node: Scalarset(2);
     Who: Union {Enum{Nobody}, Node};
Var last: Who; note: 0..2;

Procedure Tell(who: Who; what: 0..2);
Begin
  last := who;
  note := what;
End;

Startstate
Begin
  last := Nobody; note := 0;
End;

Ruleset n: Node Do
  Rule "tell" note = 0 ==> Begin Tell(n, 1); End;
End;
Rule "forget" note = 1 ==> Begin Tell(undefined, 2); End;
Rule "nobody" note = 2 ==> Begin
  Assert isundefined(last) "forgotten";
  last := Nobody; note := 0;
End;
