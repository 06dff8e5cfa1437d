-- Peterson's mutual exclusion for any number of processes (Information Processing Letters 12(3), 1981), with one step
-- for looking at all the others. Every permutation of the processes is a symmetry; compare `--symmetry off`.
-- expect: holds
-- states: 14844
-- rules: 59376
-- agrees: rumur 2022.08.20
--
-- A process climbs through N - 1 levels. At each it steps back for the others, and goes on when nobody is at its level
-- or above, or when somebody else came to the level later.

const
  N: 4;

type
  process: scalarset(N);
  level: 0..N;
  label: enum { idle, announce, give_way, wait, critical };

var
  at: array [process] of label;
  reached: array [process] of level;
  trying: array [process] of level;
  last: array [1..N - 1] of process;

ruleset p: process do
  rule "begin" at[p] = idle ==>
    at[p] := announce;
    trying[p] := 1;
  end;

  rule "announce" at[p] = announce ==>
    reached[p] := trying[p];
    at[p] := give_way;
  end;

  rule "give way" at[p] = give_way ==>
    last[trying[p]] := p;
    at[p] := wait;
  end;

  rule "wait" at[p] = wait ==>
    if last[trying[p]] != p | forall q: process do q = p | reached[q] < trying[p] end then
      trying[p] := trying[p] + 1;
      at[p] := trying[p] < N ? announce : critical;
    end;
  end;

  rule "leave" at[p] = critical ==>
    reached[p] := 0;
    trying[p] := 0;
    at[p] := idle;
  end;

  startstate
    for q: process do
      at[q] := idle;
      reached[q] := 0;
      trying[q] := 0;
    end;
    for l: 1..N - 1 do
      last[l] := p;
    end;
  end;
end;

invariant "mutual exclusion"
  forall p: process do forall q: process do
    p = q | at[p] != critical | at[q] != critical
  end end;
