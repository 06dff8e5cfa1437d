// --promises
chan q = [1] of { byte };
active proctype Writer() { q!1 }
