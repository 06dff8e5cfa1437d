-- A write that does not invalidate the other copies.
-- expect: violated invariant "readers see the last write" depth 3
-- agrees: rumur 2022.08.20

type Cache: scalarset(2);
     Value: scalarset(2);
var state: array [Cache] of enum {Invalid, Shared, Modified};
    value: array [Cache] of Value;
    memory, last: Value;

ruleset c: Cache do
  rule "read" state[c] = Invalid ==> begin state[c] := Shared; value[c] := memory; end;
  ruleset v: Value do
    rule "write" state[c] != Invalid ==> begin
      state[c] := Modified; value[c] := v; last := v;
    end;
  end;
  rule "evict" state[c] = Modified ==> begin
    memory := value[c]; state[c] := Invalid; undefine value[c];
  end;
end;

ruleset v: Value do
  startstate begin
    for c: Cache do state[c] := Invalid; undefine value[c]; end;
    memory := v; last := v;
  end;
end;

invariant "readers see the last write"
  forall c: Cache do state[c] != Invalid -> value[c] = last end;
