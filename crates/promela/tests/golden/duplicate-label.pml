active proctype A() {
end:	skip;
	goto end;
end:	skip
}
