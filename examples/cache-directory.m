-- A directory-based cache protocol: clients ask a home node for shared or exclusive copies of one line, and the home
-- node takes copies back before it gives an exclusive one away. Requests, grants and recalls travel on their own
-- channels, each of which holds one message for each client.
-- expect: holds
-- states: 42082
-- rules: 161844
-- agrees: rumur 2022.08.20

const
  Clients: 3;
  Values: 2;

type
  Client: scalarset(Clients);
  Value: scalarset(Values);
  Copy: enum {None, Shared, Exclusive};
  Request: enum {WantShared, WantExclusive};
  Answer: record grant: Copy; value: Value; end;

var
  copy: array [Client] of Copy;
  data: array [Client] of Value;

  request: array [Client] of Request;   -- client to home; undefined when empty
  answer: array [Client] of Answer;     -- home to client
  recall: array [Client] of boolean;    -- home to client: give your copy back
  returned: array [Client] of boolean;  -- client to home: here it is
  carried: array [Client] of Value;     -- with a modified line

  -- The home node.
  memory: Value;
  holder: array [Client] of Copy;       -- what each client has, as far as home knows
  asked: array [Client] of boolean;     -- whom home has sent a recall
  serving: Client;
  served: Request;

  last: Value;                          -- what was written last, to check against

procedure grant(c: Client; what: Copy);
begin
  answer[c].grant := what;
  answer[c].value := memory;
  holder[c] := what;
  undefine serving;
  undefine served;
end;

ruleset c: Client do
  rule "ask for a shared copy" copy[c] = None & isundefined(request[c]) & isundefined(answer[c].grant) ==>
  begin
    request[c] := WantShared;
  end;

  rule "ask for an exclusive copy" copy[c] != Exclusive & isundefined(request[c]) & isundefined(answer[c].grant) ==>
  begin
    request[c] := WantExclusive;
  end;

  rule "take a request" isundefined(serving) & !isundefined(request[c]) & isundefined(answer[c].grant) ==>
  begin
    serving := c;
    served := request[c];
    undefine request[c];
  end;

  rule "recall a copy"
    !isundefined(serving) & !asked[c] & holder[c] != None
    & (served = WantExclusive | holder[c] = Exclusive) ==>
  begin
    asked[c] := true;
    recall[c] := true;
  end;

  rule "give a copy back" recall[c] & isundefined(answer[c].grant) ==>
  begin
    recall[c] := false;
    returned[c] := true;
    if copy[c] = Exclusive then carried[c] := data[c]; end;
    copy[c] := None;
    undefine data[c];
  end;

  rule "get a copy back" returned[c] ==>
  begin
    returned[c] := false;
    asked[c] := false;
    holder[c] := None;
    if !isundefined(carried[c]) then
      memory := carried[c];
      undefine carried[c];
    end;
  end;

  rule "grant a shared copy"
    !isundefined(serving) & serving = c & served = WantShared
    & (forall d: Client do holder[d] != Exclusive end) ==>
  begin
    grant(c, Shared);
  end;

  rule "grant an exclusive copy"
    !isundefined(serving) & serving = c & served = WantExclusive
    & (forall d: Client do holder[d] = None end) ==>
  begin
    grant(c, Exclusive);
  end;

  rule "receive a copy" !isundefined(answer[c].grant) ==>
  begin
    copy[c] := answer[c].grant;
    data[c] := answer[c].value;
    undefine answer[c];
  end;

  ruleset v: Value do
    rule "write" copy[c] = Exclusive ==>
    begin
      data[c] := v;
      last := v;
    end;
  end;
end;

ruleset v: Value do
  startstate "all copies are at home"
  begin
    for c: Client do
      copy[c] := None;
      undefine data[c];
      undefine request[c];
      undefine answer[c];
      recall[c] := false;
      returned[c] := false;
      undefine carried[c];
      holder[c] := None;
      asked[c] := false;
    end;
    undefine serving;
    undefine served;
    memory := v;
    last := v;
  end;
end;

invariant "an exclusive copy is the only one"
  forall c: Client do copy[c] = Exclusive ->
    (forall d: Client do d = c | copy[d] = None end)
  end;

invariant "every copy has the value written last"
  forall c: Client do copy[c] != None -> data[c] = last end;
