-- A recursion without bottom.
-- expect: violated call-limit depth 3
-- agrees: rumur 2022.08.20

type Count: 0..3;
var x: Count;
function down(n: Count): Count;
begin
  if n = 0 then return down(n); else return down(n - 1); end;
end;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "call" x = 2 ==> begin x := down(x); end;
