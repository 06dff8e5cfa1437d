-- Readers and writers with preference for writers: as soon as a writer waits, no further reader begins.
-- expect: holds
-- states: 388
-- rules: 1584
-- agrees: rumur 2022.08.20

const
  Readers: 4;
  Writers: 2;

type
  Reader: scalarset(Readers);
  Writer: scalarset(Writers);
  Phase: enum {Away, Waiting, Busy};

var
  reader: array [Reader] of Phase;
  writer: array [Writer] of Phase;

function somebody_writes(): boolean;
begin
  return exists w: Writer do writer[w] = Busy end;
end;

function a_writer_waits(): boolean;
begin
  return exists w: Writer do writer[w] = Waiting end;
end;

ruleset r: Reader do
  rule "reader arrives" reader[r] = Away ==>
  begin
    reader[r] := Waiting;
  end;

  rule "reader begins" reader[r] = Waiting & !somebody_writes() & !a_writer_waits() ==>
  begin
    reader[r] := Busy;
  end;

  rule "reader leaves" reader[r] = Busy ==>
  begin
    reader[r] := Away;
  end;
end;

ruleset w: Writer do
  rule "writer arrives" writer[w] = Away ==>
  begin
    writer[w] := Waiting;
  end;

  rule "writer begins"
    writer[w] = Waiting & !somebody_writes() & (forall r: Reader do reader[r] != Busy end) ==>
  begin
    writer[w] := Busy;
  end;

  rule "writer leaves" writer[w] = Busy ==>
  begin
    writer[w] := Away;
  end;
end;

startstate "everybody is away"
begin
  for r: Reader do reader[r] := Away; end;
  for w: Writer do writer[w] := Away; end;
end;

invariant "writers are alone"
  forall w: Writer do writer[w] = Busy ->
    (forall r: Reader do reader[r] != Busy end)
    & (forall v: Writer do v = w | writer[v] != Busy end)
  end;

cover "all read at once" forall r: Reader do reader[r] = Busy end;
