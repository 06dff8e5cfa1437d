-- Votes in a bag: equal votes are interchangeable, so their order is not stored.
-- expect: holds
-- states: 135
-- rules: 297

const Voters: 4;
type Candidate: enum {Ada, Grace};
     Ballot: record choice: Candidate; valid: boolean; end;
var box: multiset [Voters] of Ballot;
    left: 0..Voters;
    counted: array [Candidate] of 0..Voters;

ruleset c: Candidate; v: boolean do
  rule "vote" left > 0 ==>
  var ballot: Ballot;
  begin
    ballot.choice := c; ballot.valid := v;
    MultisetAdd(ballot, box);
    left := left - 1;
  end;
end;

rule "discard" left = 0 & MultisetCount(b: box, !box[b].valid) > 0 ==> begin
  MultisetRemovePred(b: box, !box[b].valid);
end;

choose b: box do
  rule "count" left = 0 & MultisetCount(o: box, !box[o].valid) = 0 ==> begin
    alias choice: box[b].choice do
      counted[choice] := counted[choice] + 1;
    end;
    MultisetRemove(b, box);
  end;
end;

rule "again" left = 0 & MultisetCount(b: box, true) = 0 ==> begin
  left := Voters;
  clear counted;
end;

startstate begin undefine box; left := Voters; clear counted; end;

invariant "no vote appears"
  counted[Ada] + counted[Grace] + MultisetCount(b: box, true) + left <= Voters;
