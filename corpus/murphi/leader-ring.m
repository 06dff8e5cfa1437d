-- Leader election on a ring by Chang and Roberts: numbers travel, only the highest comes home.
-- expect: violated deadlock depth 12
-- agrees: rumur 2022.08.20

const N: 4;
type Place: 0..N - 1;
     Slot: 0..1;
var id: array [Place] of Place;
    box: array [Place] of array [Slot] of Place;
    sent: array [Place] of boolean;
    leader: array [Place] of boolean;

procedure put_in(p: Place; value: Place);
begin
  if isundefined(box[p][0]) then box[p][0] := value;
  else box[p][1] := value; end;
end;

ruleset p: Place do
  alias right: (p + 1) % N do
    rule "begin" !sent[p] & isundefined(box[right][1]) ==> begin put_in(right, id[p]); sent[p] := true; end;
    rule "receive" !isundefined(box[p][0]) & isundefined(box[right][1]) ==>
    var value: Place;
    begin
      value := box[p][0];
      if isundefined(box[p][1]) then undefine box[p][0];
      else box[p][0] := box[p][1]; undefine box[p][1]; end;
      if value = id[p] then leader[p] := true;
      elsif value > id[p] then put_in(right, value); end;
    end;
  end;
end;

startstate begin
  id[0] := 2; id[1] := 0; id[2] := 3; id[3] := 1;
  undefine box;
  clear sent; clear leader;
end;

invariant "one leader" forall p: Place do forall q: Place do leader[p] & leader[q] -> p = q end end;
invariant "the right one" forall p: Place do leader[p] -> id[p] = N - 1 end;
