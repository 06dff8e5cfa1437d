type Node: ringset(3); Other: 0..2;
var at: Node; o: Other;
startstate begin undefine at; o := 0; end;
ruleset n: Node do
  rule at = n ==> begin at := next(n); end;
  rule at = n ==> begin at := prev(prev(n)); end;
end;
rule begin o := next(o); end;
