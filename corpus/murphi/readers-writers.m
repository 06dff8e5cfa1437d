-- Many may read or one may write.
-- expect: holds
-- states: 10
-- rules: 28
-- agrees: rumur 2022.08.20

const R: 3; W: 2;
type Reader: scalarset(R);
     Writer: scalarset(W);
var reading: array [Reader] of boolean;
    writing: array [Writer] of boolean;
    readers: 0..R;
    locked: boolean;

ruleset r: Reader do
  rule "open" !reading[r] & !locked ==> begin reading[r] := true; readers := readers + 1; end;
  rule "close" reading[r] ==> begin reading[r] := false; readers := readers - 1; end;
end;
ruleset w: Writer do
  rule "lock" !locked & readers = 0 ==> begin locked := true; writing[w] := true; end;
  rule "unlock" writing[w] ==> begin locked := false; writing[w] := false; end;
end;

startstate begin
  for r: Reader do reading[r] := false; end;
  for w: Writer do writing[w] := false; end;
  readers := 0; locked := false;
end;

invariant "exclusive"
  (exists w: Writer do writing[w] end) -> (forall r: Reader do !reading[r] end);
invariant "one writer"
  forall v: Writer do forall w: Writer do writing[v] & writing[w] -> v = w end end;
