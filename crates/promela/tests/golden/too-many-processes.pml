active [300] proctype A() { skip }
