-- Peterson's mutual exclusion for N processes: N - 1 rooms, each of which keeps the process that came last waiting.
--
-- A process reads one variable of another at a time, as real programs do: `watched` is the one it looks at next.
-- expect: holds
-- states: 1800
-- rules: 4883
-- agrees: rumur 2022.08.20

const
  N: 3;

type
  Process: 1..N;
  Room: 1..N - 1;
  Level: 0..N - 1;
  Line: enum {Idle, Announce, GiveWay, Watch, Critical};

var
  line: array [Process] of Line;
  level: array [Process] of Level;
  last: array [Room] of Process;
  room: array [Process] of Room;       -- the room a process is about to pass
  watched: array [Process] of Process; -- whose level it reads next

procedure pass(p: Process);
begin
  undefine watched[p];
  if room[p] = N - 1 then
    undefine room[p];
    line[p] := Critical;
  else
    room[p] := room[p] + 1;
    line[p] := Announce;
  end;
end;

ruleset p: Process do
  rule "want" line[p] = Idle ==>
  begin
    room[p] := 1;
    line[p] := Announce;
  end;

  rule "announce" line[p] = Announce ==>
  begin
    level[p] := room[p];
    line[p] := GiveWay;
  end;

  rule "give way" line[p] = GiveWay ==>
  begin
    last[room[p]] := p;
    watched[p] := 1;
    line[p] := Watch;
  end;

  rule "somebody else came later" line[p] = Watch & last[room[p]] != p ==>
  begin
    pass(p);
  end;

  rule "look at the next" line[p] = Watch & (watched[p] = p | level[watched[p]] < room[p]) ==>
  begin
    if watched[p] = N then
      pass(p);
    else
      watched[p] := watched[p] + 1;
    end;
  end;

  rule "leave" line[p] = Critical ==>
  begin
    level[p] := 0;
    line[p] := Idle;
  end;
end;

startstate "all idle"
begin
  for p: Process do
    line[p] := Idle;
    level[p] := 0;
  end;
  for r: Room do
    last[r] := 1;
  end;
end;

invariant "mutual exclusion"
  forall p: Process do forall q: Process do
    line[p] = Critical & line[q] = Critical -> p = q
  end end;
