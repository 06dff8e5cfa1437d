-- Letters in a multiset, some of which get lost; talks while it works.
type
  person: scalarset(2);
  letter: record
    sender: person;
    page: 1..2;
  end;
var
  box: multiset[2] of letter;
  read: array[person] of 0..2;

startstate "empty box"
  undefine box;
  for p: person do read[p] := 0; end;
  put "the post office opens\n";
end;

ruleset p: person; n: 1..2 do
  rule "write" multisetcount(i: box, true) < 2 ==>
  var l: letter;
  begin
    l.sender := p;
    l.page := n;
    multisetadd(l, box);
  end;
end;

choose i: box do
  rule "read"
    put "page "; put box[i].page; put "\n";
    read[box[i].sender] := box[i].page;
    multisetremove(i, box);
  end;
end;

invariant "nobody reads page two" forall p: person do read[p] != 2 end;
