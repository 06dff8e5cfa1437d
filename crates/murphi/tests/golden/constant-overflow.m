const Big: 9223372036854775807;
      Bigger: Big + 1;
var x: 0..3;
startstate x := 0; end;
rule x < Bigger ==> x := 3 - x; end;
