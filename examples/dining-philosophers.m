-- Dining philosophers who put the first fork back when the second one is taken.
--
-- Nobody starves for want of a way out: from every state each philosopher can still come to eat (`liveness` means
-- AG EF: it is always possible, not that it always happens). Try `-D Careful=0`: without putting back, all may hold
-- one fork and wait for ever.
-- expect: holds
-- states: 82
-- rules: 350
-- agrees: rumur 2022.08.20

const
  N: 5;
  Careful: 1;

type
  Seat: 0..N - 1;
  Mood: enum {Thinking, Hungry, Eating};

var
  mood: array [Seat] of Mood;
  on_table: array [Seat] of boolean;  -- the fork to the left of each seat

ruleset s: Seat do
  alias left: on_table[s]; right: on_table[(s + 1) % N] do
    rule "take the left fork" mood[s] = Thinking & left ==>
    begin
      left := false;
      mood[s] := Hungry;
    end;

    rule "take the right fork" mood[s] = Hungry & right ==>
    begin
      right := false;
      mood[s] := Eating;
    end;

    rule "give up" Careful = 1 & mood[s] = Hungry & !right ==>
    begin
      left := true;
      mood[s] := Thinking;
    end;

    rule "finish" mood[s] = Eating ==>
    begin
      left := true;
      right := true;
      mood[s] := Thinking;
    end;
  end;

  liveness "everybody can eat" mood[s] = Eating;
end;

startstate "all think"
begin
  for s: Seat do
    mood[s] := Thinking;
    on_table[s] := true;
  end;
end;

invariant "neighbours do not eat at the same time"
  forall s: Seat do mood[s] = Eating -> mood[(s + 1) % N] != Eating end;
