" Vim syntax file for Murphi, in the dialects of CMurphi and Rumur.
if exists("b:current_syntax")
  finish
endif
syntax case ignore
syntax keyword murphiSection const type var function procedure startstate rule ruleset invariant assume cover liveness ltl ctl
syntax keyword murphiEnd end endalias endexists endfor endforall endfunction endif endprocedure endrecord endrule endruleset endstartstate endswitch endwhile begin
syntax keyword murphiStatement if then elsif else switch case for to by do while return clear undefine assert error put alias choose
syntax keyword murphiType boolean enum record array of scalarset ringset union multiset
syntax keyword murphiOperator forall exists isundefined ismember multisetadd multisetremove multisetremovepred multisetcount next prev
syntax keyword murphiConstant true false undefined
syntax match murphiNumber "\v<[0-9]+>|<0[xX][0-9A-Fa-f]+>"
syntax region murphiString start=+"+ skip=+\\"+ end=+"+ oneline
syntax match murphiComment "--.*$" contains=murphiTodo
syntax region murphiComment start="/\*" end="\*/" contains=murphiTodo
syntax keyword murphiTodo contained TODO FIXME XXX expect states rules with
syntax match murphiArrow "==>\|:=\|->"
highlight default link murphiSection Keyword
highlight default link murphiEnd Keyword
highlight default link murphiStatement Statement
highlight default link murphiType Type
highlight default link murphiOperator Function
highlight default link murphiConstant Boolean
highlight default link murphiNumber Number
highlight default link murphiString String
highlight default link murphiComment Comment
highlight default link murphiTodo Todo
highlight default link murphiArrow Operator
let b:current_syntax = "murphi"
