-- A snooping MSI cache on an atomic bus.
-- expect: holds
-- states: 28
-- rules: 252
-- agrees: rumur 2022.08.20

const Caches: 3;
type Cache: scalarset(Caches);
     Value: scalarset(2);
     Line: record state: enum {Invalid, Shared, Modified}; value: Value; end;
var line: array [Cache] of Line;
    memory, last: Value;

procedure write_back(c: Cache);
begin
  if line[c].state = Modified then memory := line[c].value; end;
end;

procedure drop(c: Cache);
begin
  line[c].state := Invalid;
  undefine line[c].value;
end;

ruleset c: Cache do
  rule "read" line[c].state = Invalid ==> begin
    for d: Cache do
      write_back(d);
      if line[d].state = Modified then line[d].state := Shared; end;
    end;
    line[c].state := Shared;
    line[c].value := memory;
  end;

  ruleset v: Value do
    rule "write" true ==> begin
      for d: Cache do
        write_back(d);
        if d != c then drop(d); end;
      end;
      line[c].state := Modified;
      line[c].value := v;
      last := v;
    end;
  end;

  rule "evict" line[c].state != Invalid ==> begin write_back(c); drop(c); end;
end;

ruleset v: Value do
  startstate begin
    for c: Cache do drop(c); end;
    memory := v; last := v;
  end;
end;

invariant "readers see the last write"
  forall c: Cache do line[c].state != Invalid -> line[c].value = last end;
invariant "one owner"
  forall c: Cache do line[c].state = Modified ->
    (forall d: Cache do d = c | line[d].state = Invalid end) end;
