-- The alternating bit protocol over channels that lose messages.
-- expect: holds
-- states: 36
-- rules: 80
-- agrees: rumur 2022.08.20

type Bit: 0..1;
var send_bit, expected: Bit;
    data, ack: Bit;
    data_there, ack_there: boolean;
    delivered, sent: 0..3;

rule "send" !data_there ==> begin data := send_bit; data_there := true; end;
rule "lose data" data_there ==> begin undefine data; data_there := false; end;
rule "lose ack" ack_there ==> begin undefine ack; ack_there := false; end;

rule "receive" data_there & !ack_there ==> begin
  if data = expected then
    delivered := (delivered + 1) % 4;
    expected := 1 - expected;
  end;
  ack := data; ack_there := true;
  undefine data; data_there := false;
end;

rule "receive ack" ack_there ==> begin
  if ack = send_bit then
    send_bit := 1 - send_bit;
    sent := (sent + 1) % 4;
  end;
  undefine ack; ack_there := false;
end;

startstate begin
  send_bit := 0; expected := 0;
  undefine data; undefine ack;
  data_there := false; ack_there := false;
  delivered := 0; sent := 0;
end;

invariant "none lost or doubled" delivered = sent | delivered = (sent + 1) % 4;
