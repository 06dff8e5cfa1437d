" Murphi models: `.murphi`, and `.m` files with a ruleset, startstate or scalarset near their beginning.
autocmd BufNewFile,BufRead *.murphi setfiletype murphi
autocmd BufNewFile,BufRead *.m if join(getline(1, 200), "\n") =~? '\v<(startstate|ruleset|scalarset)>' | setlocal filetype=murphi | endif
