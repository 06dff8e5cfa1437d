-- A token is at home or with a client; `ismember` and `switch` tell.
-- expect: holds
-- states: 8
-- rules: 14

type Client: scalarset(3);
     Server: enum {Main, Backup};
     Party: union {Server, Client};
var token: Party;
    uses: array [Party] of boolean;

procedure give(party: Party);
begin
  switch token
    case Main: assert !isundefined(token);
    else uses[token] := false;
  end;
  token := party;
  uses[party] := true;
end;

ruleset c: Client do
  rule "request" ismember(token, Server) ==> begin give(c); end;
end;
rule "return" ismember(token, Client) ==> begin give(Main); end;
rule "fail over" token = Main ==> begin uses[Main] := false; give(Backup); end;
rule "recover" token = Backup ==> begin give(Main); end;

startstate begin
  for p: Party do uses[p] := false; end;
  token := Main; uses[Main] := true;
end;

invariant "the holder uses it" uses[token];
