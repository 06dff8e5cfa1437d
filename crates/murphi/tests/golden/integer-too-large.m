const N: 9223372036854775808;
var x: 0..3;
startstate x := 0; end;
rule x < N ==> x := x + 1; end;
