type T: 0..3
     U: array T of boolean;
var x: T; y: U;
procedure reset;
begin x := 0; end;
startstate x := 0 y[0] = true; end;
rule "a" if x = then x := 1; else x := 2; end; end;
rule "b" x < 3 => x := x + 1; end;
rule "c" begin alias a: x, b: y do a := 1; end; x[0, 1] := 2; end;
