-- Emptying a multiset in one round takes the element away from under another: who is marked decides.
-- expect: violated empty-slot depth 2
-- deadlock: off
type P: scalarset(2); Note: record who: P; text: 0..1; end;
var marked: array [P] of boolean; notes: multiset [2] of Note;
startstate var n: Note; begin
  for p: P do marked[p] := false; end; undefine notes; undefine n.who; n.text := 0; multisetadd(n, notes);
end;
ruleset p: P do rule "mark" forall q: P do !marked[q] end ==> begin marked[p] := true; end; end;
choose i: notes do
  rule "clean" exists p: P do marked[p] end ==> begin
    for p: P do if marked[p] then undefine notes; else undefine notes[i].text; end; end;
  end;
end;
