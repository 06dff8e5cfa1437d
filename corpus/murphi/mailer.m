-- A mailer between clients, the family of table 1 in Donaldson and Miller, "Extending symmetry reduction techniques to
-- a realistic model of computation": identities occur as indices, in boxes and in a queue that keeps its order.
--
-- After a boot step each client starts. Once all have, a client with mail empties its box; one without writes to
-- anybody, itself included, as long as the network has room. The mailer takes messages from the network one at a time
-- and puts the sender's name into the receiver's box when that is empty.
-- expect: holds
-- states: 23256
-- rules: 71005

const
  Clients: 3;
  Capacity: 2;

type
  Client: scalarset(Clients);
  Place: 0..Capacity - 1;
  Mail: record sender, receiver: Client; end;

var
  booted: boolean;
  started: array [Client] of boolean;
  box: array [Client] of Client;
  network: array [Place] of Mail;
  queued: 0..Capacity;
  held: Mail;                          -- by the mailer; undefined when it is idle

rule "boot" !booted ==>
begin
  booted := true;
end;

ruleset c: Client do
  rule "start" booted & !started[c] ==>
  begin
    started[c] := true;
  end;

  rule "read" (forall d: Client do started[d] end) & !isundefined(box[c]) ==>
  begin
    undefine box[c];
  end;
end;

ruleset from: Client; dest: Client do
  rule "send" (forall d: Client do started[d] end) & isundefined(box[from]) & queued < Capacity ==>
  begin
    network[queued].sender := from;
    network[queued].receiver := dest;
    queued := queued + 1;
  end;
end;

rule "take" isundefined(held.sender) & queued > 0 ==>
begin
  held := network[0];
  for i := 0 to Capacity - 2 do
    network[i] := network[i + 1];
  end;
  undefine network[Capacity - 1];
  queued := queued - 1;
end;

ruleset c: Client do
  rule "deliver" !isundefined(held.receiver) & held.receiver = c & isundefined(box[c]) ==>
  begin
    box[c] := held.sender;
    undefine held;
  end;
end;

startstate "off"
begin
  booted := false;
  for c: Client do
    started[c] := false;
    undefine box[c];
  end;
  undefine network;
  queued := 0;
  undefine held;
end;

invariant "the network has no holes"
  forall i: Place do (i < queued) = !isundefined(network[i].sender) end;
