type Node: 0..3;
var owner: Node;
startstate ownr := 0; end;
rule begin owner := next(owner); owner := missing; end;
function next(n: Node): Node; begin return (n + 1) % 4; end;
