type A: enum {red, green}; B: enum {up, down}; S: scalarset(2);
var a: A; b: B; x: 0..3; s: S; f: boolean;
procedure set(v: A); begin a := v; end;
startstate a := up; x := true; f := 1; set(x); end;
ruleset i: S do rule a = b ==> x := i; a := f ? red : up; end; end;
rule begin switch a case red: b := up; case down: b := down; end; end;
