package jq

import (
	"fmt"
	"strings"
)

// functions are the jq functions that a program may call, by name and arity, and the metered form of each call; empty
// where a step of it is cheap, or where it only calls its arguments.
//
// Missing on purpose: functions that read more than their input (input, env, debug, $__prog_args), that end the program
// (halt), that depend on the machine's time zone (localtime, strflocaltime), and those that are hard to bound and no
// loss in a mapping (tostream, transpose, jn, yn, bsearch, JOIN).
var functions = makeFunctions()

// guarded lists the metered forms of calls: %s is the call with its arguments.
var guarded = []struct{ call, ids string }{
	{``, `empty/0 not/0 error/0 error/1 type/0 length/0 utf8bytelength/0 select/1 arrays/0 objects/0 iterables/0 booleans/0
		numbers/0 strings/0 nulls/0 values/0 scalars/0 finites/0 normals/0 isnan/0 isinfinite/0 isfinite/0 isnormal/0
		infinite/0 nan/0 abs/0 toboolean/0 has/1 in/1 startswith/1 endswith/1 ltrimstr/1 rtrimstr/1 trimstr/1 ltrim/0 rtrim/0
		trim/0 first/0 last/0 first/1 last/1 limit/2 skip/2 nth/2 until/2 while/2 repeat/1 range/1 range/2 range/3 isempty/1
		any/2 all/2 recurse/1 recurse/2 now/0 gmtime/0 mktime/0 todate/0 todateiso8601/0`},
	{``, `floor/0 ceil/0 round/0 trunc/0 rint/0 nearbyint/0 fabs/0 sqrt/0 cbrt/0 exp/0 exp2/0 exp10/0 expm1/0 log/0 log2/0
		log10/0 log1p/0 logb/0 significand/0 frexp/0 modf/0 sin/0 cos/0 tan/0 asin/0 acos/0 atan/0 sinh/0 cosh/0 tanh/0
		asinh/0 acosh/0 atanh/0 gamma/0 lgamma/0 tgamma/0 pow/2 atan2/2 fmin/2 fmax/2 fmod/2 fdim/2 hypot/2 copysign/2
		drem/2 remainder/2 nextafter/2 nexttoward/2 ldexp/2 scalb/2 scalbln/2 fma/3`},
	{`_wide($__m; 2) | %s`, `map/1 any/0 any/1 all/0 all/1 reverse/0 explode/0 ascii_downcase/0 ascii_upcase/0`},
	{`_wide($__m; 2) | %s | _deep($__m; 1)`, `map_values/1`},
	{`_wide($__m; 16) | %s | _wide($__m; 1)`, `to_entries/0 from_entries/0 with_entries/1 keys/0`},
	{`_wide($__m; 32) | %s`, `split/1`},
	{`_wide($__m; 32) | %s | _deep($__m; 1)`, `fromjson/0`},
	{`_deep($__m; 2) | %s`, `recurse/0 walk/1 combinations/0 combinations/1`},
	{`_deep($__m; 2) | %s | _wide($__m; 1)`, `add/0 flatten/0 flatten/1 implode/0 paths/0 paths/1`},
	{`_deep($__m; 4) | %s | _wide($__m; 1)`, `tojson/0 tostring/0`},
	{`_deep($__m; 8) | %s | _wide($__m; 1)`, `format/1`},
	{`_deep($__m; 16) | %s | _wide($__m; 1)`, `sort/0 unique/0 min/0 max/0`},
	{`%s | _wide($__m; 1)`, `path/1`},
	{`_short($__m; .) | %s`, `tonumber/0 fromdate/0 fromdateiso8601/0`},
	{`__1 as $__a | _short($__m; .) | _short($__m; $__a) | %s | _wide($__m; 1)`, `strptime/1 strftime/1`},
	{`__1 as $__a | _search($__m; $__a) | %s`, `contains/1 index/1 rindex/1 indices/1`},
	{`__1 as $__a | . as $__v | $__a | _search($__m; $__v) | $__v | inside($__a)`, `inside/1`},
	{`__1 as $__a | _join($__m; $__a) | join($__a) | _wide($__m; 1)`, `join/1`},
	{`[__1] | _deep($__m; 2) | add | _wide($__m; 1)`, `add/1`},
	{`(__1 | _index($__m)) as $__a | nth($__a)`, `nth/1`},
	{`__1 as $__p | _path($__m; $__p) | getpath($__p)`, `getpath/1`},
	{`__1 as $__p | _path($__m; $__p) | setpath($__p; __2) | _deep($__m; 1)`, `setpath/2`},
	{`(__1 | _deep($__m; 16)) as $__p | delpaths($__p) | _deep($__m; 1)`, `delpaths/1`},
	{`([path(__1) | _wide($__m; 1)] | _deep($__m; 16)) as $__p | delpaths($__p) | _deep($__m; 1)`, `del/1`},
	{`. as $__v | reduce path(__1) as $__p (null;
		_path($__m; $__p) | setpath($__p; $__v | getpath($__p)) | _deep($__m; 1))`, `pick/1`},
	{`. as $__v | any(__1 as $__a | _operate($__m; "=="; $__a; $__v) | $__a == $__v; .)`, `IN/1`},
	{`any(__1 as $__a | __2 as $__b | _operate($__m; "=="; $__a; $__b) | $__a == $__b; .)`, `IN/2`},
	{`_wide($__m; 2) | reduce .[] as $__r ({};
		($__r | __1 | _deep($__m; 4) | tostring) as $__k | setpath([$__k]; $__r) | _wide($__m; 1))`, `INDEX/1`},
	{`reduce __1 as $__r ({};
		($__r | __2 | _deep($__m; 4) | tostring) as $__k | setpath([$__k]; $__r) | _wide($__m; 1))`, `INDEX/2`},
}

func makeFunctions() map[string]string {
	all := map[string]string{}
	for _, g := range guarded {
		for id := range strings.FieldsSeq(g.ids) {
			all[id] = strings.ReplaceAll(g.call, "%s", callOf(id))
		}
	}
	for name := range ours {
		all[name+"/0"] = "_" + name + "($__m)"
	}
	for _, by := range []string{"sort", "group", "unique", "min", "max"} {
		all[by+"_by/1"] = fmt.Sprintf(`_wide($__m; 2) | . as $__v | (map([__1]) | _deep($__m; 16)) as $__k
			| $__v | _%s_by($__k) | _wide($__m; 1)`, by)
	}
	// Regular expressions: whether all matches are wanted. The flags are the last argument, if any.
	for id, wanted := range map[string]bool{
		"test/1": false, "test/2": false, "match/1": false, "match/2": false, "capture/1": false, "capture/2": false,
		"scan/1": true, "scan/2": true, "splits/1": true, "splits/2": true, "split/2": true,
		"sub/2": false, "sub/3": false, "gsub/2": true, "gsub/3": true,
	} {
		all[id] = searching(id, wanted)
	}
	return all
}

// callOf is the call of a function with the placeholders of made as arguments.
func callOf(id string) string {
	name, count, _ := strings.Cut(id, "/")
	return name + map[string]string{"0": "", "1": "(__1)", "2": "(__1; __2)", "3": "(__1; __2; __3)"}[count]
}

// searching is the metered call of a function whose first argument is a regular expression and whose last may be flags.
func searching(id string, all bool) string {
	name, count, _ := strings.Cut(id, "/")
	isSub := strings.HasSuffix(name, "sub")
	bind, flags, args := `__1 as $__r | `, `null`, `$__r`
	if isSub {
		args += `; __2 | _wide($__m; 1)`
	}
	if last := map[bool]string{false: "2", true: "3"}[isSub]; count == last {
		bind = `__` + last + ` as $__f | ` + bind
		flags, args = `$__f`, args+`; $__f`
	}
	return fmt.Sprintf(`%s_regex($__m; %t; $made; $__r; %s) | %s(%s)`, bind, all, flags, name, args)
}
