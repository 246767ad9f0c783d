# Programs that take a machine down when nobody stops them; the input is dangerous() in jq_test.go.

# texts that grow
.s * .n
.n * .s
.s * 1e3
.s *= .n | .s
"x" * 100000000
[range(1000) | "0123456789" * 1000000]
reduce range(60) as $i ("x"; . + .)
reduce range(60) as $i ("x"; "\(.)\(.)")
reduce range(99) as $i ("x"; @base64)
reduce range(99) as $i ("\""; tojson)
reduce range(99) as $i ("<"; @html "<\(.)\(.)")
reduce range(99) as $i ("é"; @uri "\(.)\(.)")
reduce range(60) as $i ({a: "x"}; .a += .a)
reduce range(60) as $i ("x"; . as $s | [$s, $s, $s] | join($s))
.s as $s | [range(1000000) | $s] | add
.s as $s | [range(1000000) | ""] | join($s)
.s as $s | add(range(1000000) | $s)
.s as $s | [range(1000000) | $s | ascii_upcase]
.s as $s | "a" * 1000 | gsub("a"; $s)
[.s | explode | ., .] | add | implode * 1000
now | strftime("%1024Y" * 10000)
[range(1000000) | now | strftime("%1024Y" * 10)]
.s as $s | [range(100000) | $s | @json "x\(.)"]

# lists that grow
[range(1e12)]
[range(1e12) | {a: ., b: [.]}]
[limit(1e9; repeat(.s | split("")))]
[range(100000) as $i | .s | split("")]
.[500000000] = 1
.l[500000000] = 1
.l[.n] = 1
.l[.n] |= 1
.l[.n] += 1
.l[.n] //= 1
setpath(["l", 500000000]; 1)
pick(.l[500000000])
null | [limit(100000; repeat(.[1000000] = 1))]
[range(100000) | [] | .[.|length + 100000] = 1]
reduce range(60) as $i ([1]; . + .)
reduce range(60) as $i ([1]; [., .] | flatten)
[foreach range(1000000) as $i ([]; . + [$i])]
[foreach range(1000000) as $i ({}; .["k\($i)"] = 1)]
[foreach range(1000000) as $i ({}; . + {"k\($i)": 1})]
[foreach range(1000000) as $i (.l; .[$i] = 1)]
[combinations(9)]
[[range(1000)] | combinations(3)]
[.l[] as $a | .l[] as $b | .l[] | [$a, $b, .]]
.l as $l | def f: $l[] | f; f
def f: . as $x | .l[] | $x | f; f
[.deep | paths]
.deep | [path(..)]
.deep | del(..)

# values that hold one another
reduce range(60) as $i (1; [., .])
reduce range(60) as $i (1; {a: ., b: .})
reduce range(60) as $i (1; [., .]) | tojson
reduce range(60) as $i (1; [., .]) | tostring
reduce range(60) as $i (1; [., .]) | . == .
reduce range(60) as $i (1; [., .]) | [., .] | sort
reduce range(60) as $i (1; [., .]) | [., .] | unique
reduce range(60) as $i (1; [., .]) | contains(.)
reduce range(60) as $i (1; [., .]) | inside(.)
reduce range(60) as $i (1; [., .]) | flatten
reduce range(60) as $i (1; [., .]) | [..] | length
reduce range(60) as $i (1; [., .]) | "\(.)"
reduce range(60) as $i (1; [., .]) | . - .
reduce range(60) as $i (1; [., .]) | IN(.)
reduce range(60) as $i (1; [., .]) | index(.)
reduce range(60) as $i (1; [., .]) as $x | [1, 2] | sort_by($x)
reduce range(60) as $i (1; [., .]) as $x | [1, 2] | group_by($x)
reduce range(60) as $i (1; {a: ., b: .}) | . * .
reduce range(60) as $i (1; {a: ., b: .}) | walk(.)
reduce range(60) as $i (1; [., .]) | [paths]
reduce range(200000) as $i (1; [.])
reduce range(200000) as $i (1; [.]) | tojson
reduce range(60) as $i (1; [., .]) as $x | [$x] | INDEX(.)
.l | [range(100000) | 1] as $x | [range(100000) | 2] - $x
.l as $l | [range(100000)] | sort_by($l)
.l as $l | $l - $l
.l[[1]]
getpath(["l", [1]])

# regular expressions
.s | gsub("a"; "b")
.s | gsub(""; "b")
.s | test("(x+x+)+y{200}")
.s | [match("a*b|a"; "g")] | length
.s | sub("a"; "b"; "g")
.s | [scan(".")] | length
.s | [splits("a")] | length
.s | split("a"; "") | length
.s | capture("(?<a>a*)b"; "g")
.s | test(["a{1000}", "g"])
"x" | test("(a{100}){10}" * 150)
"x" | test("a{1000}b{1000}c{1000}" * 90)
[range(1000000) | "x" | test("a{900}\(.)")]
.s | test("(((a{10}){10}){9}|b)")
.s[:20000] | gsub("(?<x>[a-z])"; .x + .x)

# numbers
reduce range(60) as $i (10; . * .)
reduce range(60) as $i (10; . *= .)
.digits | tonumber
.s | tonumber
.digits | fromjson
"[" + .digits + "]" | fromjson
last(range(1e18))
[range(0; 1e18; 1e-9)]
.n as $n | first(range($n) | select(false))

# programs without an end
def f: f; f
def f: [f]; f
def f: 1 + f; f
def f: . as $x | f | $x; f
def f: f, f; [f]
def f(g): f(g | g); f(.)
until(false; .)
[while(true; .)]
last(repeat(.))
[recurse]| last(recurse(.))
[recurse(.)]
reduce repeat(1) as $i (0; . + $i)
label $out | foreach repeat(1) as $i (0; . + $i; if . < 0 then ., break $out else empty end)
null | path(def f: .[0] | f, .; f)

# errors that are caught
try (.s * .n) catch "caught"
(.s * .n)? // "caught"
[.s | try gsub("a"; "b") catch "caught"]
try (def f: f; f) catch "caught"
first((.s * .n)?, "caught")
try (reduce range(60) as $i (1; [., .]) | tojson) catch "caught", "caught"
