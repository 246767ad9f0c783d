# Programs that give under the meter what gojq gives without it; the input is in jq_test.go.

.
.a
.a[]
.a[1]
.a[-1]
.a[1:3]
.o.z.y
.["o"]["k"]
."o"
.o["\("k")"]
.s[0:3]
.s[-5:]
.nada.x
.a.x?
.a[]?.b?
[.[]?]
..
[.. | strings]
[..|numbers]
.n + 1
1 + .n
.n - 1, .n * 2, .n / 5, .n % 5
.big + 1
.big * .big
-.n
-(.n)
"a" + "b"
"ab" * 3
3 * "ab"
"x" * 0
"x" * -1
"x" * 0.5
"x" * 1.5
"a,b" / ","
.a + [1]
.a - [1, {"b": "x"}]
.o + {x: 1}
.o * {z: {w: 2}}
null + 1
.o + null
(1, 2) + (10, 20)
(1, 2) * (3, 4)
[(1, 2) == (2, 1)]
.n == 12
.a == .a
.o != .o
.a < .o
[.a[] > 2]
.s >= "A"
1 == 1.0
.n and false
.e or true
.nada // "x"
[.a[] // 9]
"\(.n) e \(.s)"
"a\(1, 2)b\(3, 4)"
@base64 "x\(.s)"
@csv "\([1, "a"])"
@json
.s | @html, @uri, @sh, @base64, @text, @json
[1, "a"] | @csv, @tsv, @sh
"YQ==" | @base64d
"%20a" | @urid
format("json")
{a: .n}
{n}
{"x y": 1}
{(.s): 1}
{"a\(.n)": 2}
{a: (1, 2)}
. as $x | {$x} | keys
{"n", s}
@text "k" as $k | {$k}
.n as $x | $x + 1
. as {n: $n, a: [$a, $b]} | [$n, $a, $b]
. as {("n", "s"): $v} | $v
. as {$n} | $n
.a as [$x] ?// $x | $x
[.phones[] as {d: $d, n: $n} | $d + $n]
. as {"n": $x} | $x
reduce .a[] as $x (0; . + 1)
reduce .phones[] as {d: $d} (""; . + $d)
[foreach (1, 2, 3) as $x (0; . + $x)]
[foreach (1, 2, 3) as $x (0; . + $x; [., $x])]
label $f | 1, break $f, 2
if .n > 5 then "a" elif .n > 3 then "b" else "c" end
if .nada then 1 end
try error("x") catch .
try error({a: 1}) catch .a
.a | try .x catch "no"
error
error("x")?
def f: . + 1; .n | f
def f(g): [g, g]; f(.n)
def f($x): $x * 2; f(3)
def f($a; g): $a + g; f(1; .n)
def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; 20 | fac
def f: def g: 3; g; f
def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; 25 | fac
.a = 1
.o.k = "w"
.o.z.y[2] = 1
.a[0] = (1, 2)
.a |= map(1)
.a[] |= [.]
.n += 1
.n -= 1
.n *= 2
.n /= 3
.n %= 5
.nada //= 5
.o.n += (1, 2)
(.n, .o.n) += 1
.a[1:3] = ["z"]
.a[] |= empty
(.. | numbers) |= . + 1
.phones[].d |= . + "!"
.o |= with_entries(.value |= tostring)
first(.a[])
last(.a[])
.a | first, last
limit(2; .a[])
[skip(2; .a[])]
nth(1; .a[])
.a | nth(2)
[range(5)]
[range(1; 9; 3)]
[range(3, 1; 4)]
until(. == null; null)
[1 | while(. < 50; . * 2)]
[limit(3; repeat(1))]
isempty(.a[])
isempty(empty)
map(type)
.a | map(type)
.phones | map(.d)
.o | map_values(1)
.o | map_values(empty)
.phones | any(.d == "11"), all(.d == "11")
[true, false] | any, all
any(.a[]; . == 3)
all(.a[]; . == 3)
[.o | recurse]
[2 | recurse(. * .; . < 99)]
[recurse(.z? // empty) | type]
.o | to_entries
.o | keys
.a | keys
[{key: "a", value: 1}, {name: "b", value: 2}] | from_entries
.o | with_entries(.key |= "x" + .)
walk(if type == "number" then . + 1 end)
[1, [2, [3]]] | flatten, flatten(1)
[1, 2] | add
["a", "b"] | add
[[1], [2]] | add
[{a: 1}, {b: 2}] | add
[] | add
add(.phones[].d)
[3, 1, 2] | sort, reverse, min, max, unique
.phones | sort_by(.n), group_by(.d), unique_by(.d), min_by(.n), max_by(.n)
[{a: 1, b: 2}, {a: 1, b: 1}] | sort_by(.a, .b), group_by(.a)
[paths]
[paths(type == "number")]
[path(.a[0], .o.k)]
[path(..)]
path(.a[] | select(. == 3))
path(first(.a, .o))
path(.a | first)
path(getpath(["o", "z"]))
path(.a[1:3][0])
path(if .n then .a else .o end)
[path(.o | recurse)]
path(.a | nth(1))
getpath(["o", "k"])
[getpath(["o", "k"], ["n"])]
setpath(["o", "k"]; 1)
delpaths([["a"], ["o", "k"]])
del(.a)
del(.a[0, 1])
del(.a[1:])
del(.. | select(. == null))
pick(.o.k)
pick(.a[1])
to_entries | length
.s | length, utf8bytelength, explode
.s | explode | implode
.s | ascii_downcase, ascii_upcase
.s | split(", ")
.s | split("[ ,]+"; "g")
["a", 1, null, true] | join("-")
[] | join("x")
["a"] | join(",", ";")
.s | startswith("Ana"), endswith("5"), ltrimstr("Ana"), rtrimstr("5")
" a " | trim, ltrim, rtrim
.s | contains("Bia")
.o | contains({k: "v"})
.a | contains([1])
"a" | inside("abc")
.s | index("a"), rindex("a"), indices("a")
[1, 2, 1] | index(1), rindex(1), indices(1)
[1, 2, 1, 2] | indices([1, 2])
.a | has(0), has(99)
.o | has("k")
"k" as $k | .o | [keys[] | in({k: 1})]
.n | tostring, tojson
.o | tostring, tojson
"12" | tonumber
"1x" | tonumber
"[1,2.50]" | fromjson
"x" | fromjson
.s | test("bia"; "i")
.s | test("bia")
.s | test(["BIA", "i"])
.s | [match("[A-Z]"; "g").string]
.s | match("(?<x>[A-Z])(.)")
.s | capture("(?<d>[0-9]+)-(?<n>[0-9]+)")
.s | [scan("[a-z]+")]
.s | [scan("([a-z])([a-z])")]
.s | [scan("B"; "i")]
.s | [splits(", *")]
.s | sub("a"; "X")
.s | gsub("a"; "X")
.s | gsub("(?<x>[a-z])"; "\(.x)-")
.s | sub("A"; "X"; "i")
.s | gsub("A"; "X"; "i")
.s | gsub("\\d"; "")
.s | gsub("^"; ">")
"aXbxc" | ascii_downcase | gsub("x"; "1", "2")
.n | test("x")
.d | fromdate
0 | todate
.d | strptime("%Y-%m-%dT%H:%M:%SZ") | mktime
0 | strftime("%Y-%m-%d")
0 | gmtime
now | type
.n | floor, sqrt, pow(.; 2), log
1.5 | round, ceil, trunc, fabs
-1 | abs
infinite, nan | isinfinite, isnan
"true" | toboolean
IN(1, 2)
.n | IN(12, 13)
IN(.a[]; 3, 4)
.phones | INDEX(.d)
INDEX(.phones[]; .n)
[[1, 2], [3]] | [combinations]
[0, 1] | [combinations(2)]
$documento + $produto
[$ENV]
splits(1)
[.[] | scalars]
.o | .k, .n | strings
@json "x\(.o)"
.. |= .
.a | .[1:] | .[0]
[.a[] | numbers | select(. > 1)]
[limit(3; .a[] | tojson)]
(.a | length) as $n | [range($n)] | length
[.phones[] | {ddd: .d, numero: .n, tipo: null}]
[.a[]?.b?, .nada[]?]
