init { run Worker(3) }
