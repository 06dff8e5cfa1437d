active proctype A() priority 0 { skip }
proctype B() { skip }
init { run B() priority 999 }
