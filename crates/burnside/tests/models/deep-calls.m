-- The variables of nested calls: 9,000 frames of 20,000 numbers take 1.4 GB, which is in no engine's account.
const BEFORE: 0; DURING: 9000;
type A: array [0..9999] of 0..9;
var x: 0..9999;
function deep(n: 0..9999; b: A): 0..9999; var c: A;
begin
  if n = 0 then return 0; end;
  c := b; c[n] := 1;
  return deep(n - 1, c) + 1;
end;
startstate var a: A; begin for i: 0..9999 do a[i] := 0; end; x := deep(BEFORE, a); end;
rule "go deep" x = 0 ==> var a: A; begin for i: 0..9999 do a[i] := 0; end; x := deep(DURING, a); end;
