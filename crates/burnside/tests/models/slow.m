-- One step that takes very long: a hundred million instances that may not fire.
type
  wide: 0..99;
var
  x: boolean;

startstate x := false; end;

ruleset a: wide; b: wide; c: wide; d: wide do
  rule "never" x & a + b + c + d > 400 ==> begin x := false; end;
end;
