mtype:colour = { red };
mtype:fruit = { apple };
mtype:colour c;
active proctype A() { c = apple }
