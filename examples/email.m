-- Mail between clients: a client sends one message at a time to a mailer with a bounded queue, which delivers it to
-- the mailbox of its addressee.
--
-- The queue keeps messages in order, so identities occur in the state both as indices and as values.
-- expect: holds
-- states: 114
-- rules: 264
-- agrees: rumur 2022.08.20

const
  Clients: 3;
  Length: 2;

type
  Client: scalarset(Clients);
  Position: 0..Length - 1;
  Mail: record sender, receiver: Client; end;

var
  waiting: array [Client] of boolean;   -- for an answer
  inbox: array [Client] of Client;      -- who wrote; undefined when empty
  queue: array [Position] of Mail;
  queued: 0..Length;

procedure enqueue(mail: Mail);
begin
  queue[queued] := mail;
  queued := queued + 1;
end;

procedure dequeue();
begin
  for i := 0 to Length - 2 do
    queue[i] := queue[i + 1];
  end;
  undefine queue[Length - 1];
  queued := queued - 1;
end;

ruleset from: Client; dest: Client do
  rule "send" from != dest & !waiting[from] & isundefined(inbox[from]) & queued < Length ==>
  var mail: Mail;
  begin
    mail.sender := from;
    mail.receiver := dest;
    enqueue(mail);
    waiting[from] := true;
  end;
end;

ruleset c: Client do
  rule "deliver" queued > 0 & queue[0].receiver = c & isundefined(inbox[c]) ==>
  begin
    inbox[c] := queue[0].sender;
    dequeue();
  end;

  rule "read" !isundefined(inbox[c]) ==>
  begin
    assert waiting[inbox[c]] "whoever wrote is waiting";
    waiting[inbox[c]] := false;
    undefine inbox[c];
  end;
end;

startstate "no mail"
begin
  for c: Client do
    waiting[c] := false;
    undefine inbox[c];
  end;
  undefine queue;
  queued := 0;
end;

invariant "the queue has no holes"
  forall i: Position do (i < queued) = !isundefined(queue[i].sender) end;

invariant "nobody writes to himself"
  forall i: Position do i < queued -> queue[i].sender != queue[i].receiver end;
