// Every process reads from a channel of its own and writes to that of the next, as it has promised.
// expect: holds
// states: 16
// rules: 26
// with: --promises => holds
// with: --promises --symmetry off => holds
// with: --promises --search dfs => holds
#define N 3
chan q[N] = [1] of { byte };
proctype Node(chan in, out; byte id) {
  byte n;
  xr in;
  xs out;
  if :: id == 0 -> out!1 :: else fi;
end: do :: atomic { in?n -> n = 0; nfull(out) -> out!1 } od
}
init { atomic { run Node(q[0], q[1], 0); run Node(q[1], q[2], 1); run Node(q[2], q[0], 2) } }
