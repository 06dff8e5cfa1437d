-- The position of a request picks a reply: which one that is depends on the names of all clients.
-- expect: violated invariant "own reply" depth 2
-- deadlock: off
type Client: scalarset(3);
var requests: multiset [3] of Client; replies: multiset [3] of Client; asked: Client; got: Client;
startstate begin
  undefine requests; undefine replies; undefine asked; undefine got;
  for c: Client do multisetadd(c, replies); end;
end;
ruleset c: Client do rule "ask" isundefined(asked) ==> begin asked := c; multisetadd(c, requests); end; end;
choose r: requests do rule "answer" isundefined(got) ==> begin got := replies[r]; end; end;
invariant "own reply" isundefined(got) | got = asked;
