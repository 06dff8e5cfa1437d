-- An error statement.
-- expect: violated error "three is too many" depth 3
-- agrees: rumur 2022.08.20

var n: 0..3;
startstate begin n := 0; end;
rule "more" n < 3 ==> begin
  n := n + 1;
  if n = 3 then error "three is too many"; end;
end;
