package jq

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// guard rewrites a program so that every step that may take more than a little time or memory asks the meter first.
// gojq checks its context only between steps, and a single step can repeat a text a billion times, search a long one
// with a regular expression, fill a list up to any index, or compare two deeply shared values.
//
// Names that are neither operators nor in functions do not exist: a function that a later gojq adds stays unavailable
// until somebody has reviewed it.
func guard(q *gojq.Query) (*gojq.Query, error) {
	g := &guarding{own: map[string]bool{}}
	q = g.query(q)
	return q, g.err
}

type guarding struct {
	own map[string]bool // the program's own functions and parameters, as name/count
	err error
}

func (g *guarding) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// made is a term parsed from jq text with the placeholders __1, __2 … for the arguments. Its text is not guarded again.
func made(text string, args ...*gojq.Query) *gojq.Term {
	q, err := gojq.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", text, err)) // the texts are ours
	}
	var defs []*gojq.FuncDef
	for i, arg := range args {
		defs = append(defs, &gojq.FuncDef{Name: "__" + strconv.Itoa(i+1), Body: arg})
	}
	q.FuncDefs = append(defs, q.FuncDefs...)
	return &gojq.Term{Type: gojq.TermTypeQuery, Query: q}
}

// define registers the names of a function before its body, which may call it.
func (g *guarding) define(d *gojq.FuncDef) {
	g.name(d.Name, len(d.Args))
	for _, arg := range d.Args {
		g.name(strings.TrimPrefix(arg, "$"), 0)
	}
	d.Body = g.query(d.Body)
}

func (g *guarding) name(name string, args int) {
	id := name + "/" + strconv.Itoa(args)
	if _, has := functions[id]; has && ours[name] == nil {
		g.fail("%s is a jq function: choose another name", id)
	}
	g.variable(name)
	g.own[id] = true
}

func (g *guarding) variable(name string) {
	if strings.HasPrefix(strings.TrimPrefix(name, "$"), "__") {
		g.fail("%s: a name must not begin with __", name)
	}
}

func (g *guarding) query(q *gojq.Query) *gojq.Query {
	if q == nil {
		return nil
	}
	if len(q.Imports) > 0 || q.Meta != nil {
		g.fail("modules are not available")
	}
	for _, d := range q.FuncDefs {
		g.define(d)
	}
	g.patterns(q.Patterns)
	if q.Term != nil {
		q.Term = g.term(q.Term)
		return q
	}
	q.Left, q.Right = g.query(q.Left), g.query(q.Right)
	if text := operation(q); text != "" {
		return &gojq.Query{FuncDefs: q.FuncDefs, Term: made(text, q.Left, q.Right)}
	}
	return q
}

// operation is the metered form of an operator; empty for one that needs no meter.
func operation(q *gojq.Query) string {
	switch q.Op {
	case gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		if plain(q.Left) || plain(q.Right) {
			return "" // a plain operand ends the comparison at once
		}
		fallthrough
	case gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod:
		return fmt.Sprintf(`__2 as $__y | __1 as $__x | _operate($__m; %q; $__x; $__y) | $__x %[1]s $__y`, q.Op)
	case gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod:
		return fmt.Sprintf(`__2 as $__y
			| (__1 |= (. as $__x | _operate($__m; %q; $__x; $__y) | $__x %[1]s $__y)) | _deep($__m; 1)`,
			strings.TrimSuffix(q.Op.String(), "="))
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAlt:
		return fmt.Sprintf(`(__1 %s __2) | _deep($__m; 1)`, q.Op)
	case gojq.OpPipe, gojq.OpComma, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
	}
	return ""
}

// plain reports whether a query is a short text, a number, true, false or null.
func plain(q *gojq.Query) bool {
	if q == nil || q.Term == nil || len(q.Term.SuffixList) > 0 || len(q.FuncDefs) > 0 {
		return false
	}
	switch q.Term.Type {
	case gojq.TermTypeNumber, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNull:
		return true
	case gojq.TermTypeString:
		return constant(q)
	}
	return false
}

// constant reports whether a query is a string without interpolation.
func constant(q *gojq.Query) bool {
	return q.Term != nil && q.Term.Type == gojq.TermTypeString && len(q.Term.SuffixList) == 0 &&
		len(q.Term.Str.Queries) == 0
}

func (g *guarding) term(t *gojq.Term) *gojq.Term {
	suffixes := t.SuffixList
	t.SuffixList = nil
	t = g.bare(t)
	// Meter the list before .[], which copies it in one step.
	for _, s := range suffixes {
		if s.Index != nil {
			g.index(s.Index)
		}
		if s.Iter {
			t = made(`__1 | _wide($__m; 2)`, &gojq.Query{Term: t})
		}
		t.SuffixList = append(t.SuffixList, s)
	}
	return t
}

// bare guards a term without its suffixes.
func (g *guarding) bare(t *gojq.Term) *gojq.Term {
	switch t.Type {
	case gojq.TermTypeRecurse:
		return made(`_deep($__m; 2) | ..`)
	case gojq.TermTypeIndex:
		g.index(t.Index)
	case gojq.TermTypeFunc:
		return g.call(t)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			g.text(kv.KeyString, false)
			kv.KeyQuery, kv.Val = g.query(kv.KeyQuery), g.query(kv.Val)
		}
	case gojq.TermTypeArray:
		t.Array.Query = g.query(t.Array.Query)
	case gojq.TermTypeUnary:
		t.Unary.Term = g.term(t.Unary.Term)
	case gojq.TermTypeFormat:
		if t.Str == nil {
			return made(`_deep($__m; 8) | ` + t.Format)
		}
		g.text(t.Str, true)
	case gojq.TermTypeString:
		g.text(t.Str, false)
	case gojq.TermTypeIf:
		t.If.Cond, t.If.Then, t.If.Else = g.query(t.If.Cond), g.query(t.If.Then), g.query(t.If.Else)
		for _, e := range t.If.Elif {
			e.Cond, e.Then = g.query(e.Cond), g.query(e.Then)
		}
	case gojq.TermTypeTry:
		t.Try.Body, t.Try.Catch = g.query(t.Try.Body), g.query(t.Try.Catch)
	case gojq.TermTypeReduce:
		r := t.Reduce
		g.patterns(r.Patterns)
		r.Query, r.Start, r.Update = g.query(r.Query), g.query(r.Start), g.query(r.Update)
	case gojq.TermTypeForeach:
		f := t.Foreach
		g.patterns(f.Patterns)
		f.Query, f.Start, f.Update, f.Extract = g.query(f.Query), g.query(f.Start), g.query(f.Update), g.query(f.Extract)
	case gojq.TermTypeLabel:
		t.Label.Body = g.query(t.Label.Body)
	case gojq.TermTypeQuery:
		t.Query = g.query(t.Query)
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber,
		gojq.TermTypeBreak:
	}
	return t
}

func (g *guarding) index(x *gojq.Index) {
	g.text(x.Str, false)
	x.Start, x.End = g.query(x.Start), g.query(x.End)
	if x.Start != nil && !x.IsSlice {
		x.Start = &gojq.Query{Term: made(`__1 | _index($__m)`, x.Start)}
	}
}

// text guards string interpolation. formatted says that a format is applied to the values instead of tostring.
func (g *guarding) text(s *gojq.String, formatted bool) {
	if s == nil {
		return
	}
	long := 0
	for _, q := range s.Queries {
		if constant(q) {
			long += len(q.Term.Str.Str)
		}
	}
	for i, q := range s.Queries {
		if constant(q) {
			continue
		}
		text := fmt.Sprintf(`__1 | _deep($__m; 4) | tostring | _wide($__m; %d)`, 2+long)
		if formatted {
			text = fmt.Sprintf(`__1 | _deep($__m; %d)`, 8+long)
		}
		s.Queries[i] = &gojq.Query{Term: made(text, g.query(q))}
	}
}

func (g *guarding) patterns(list []*gojq.Pattern) {
	for _, p := range list {
		g.variable(p.Name)
		g.patterns(p.Array)
		for _, o := range p.Object {
			g.variable(o.Key)
			g.text(o.KeyString, false)
			o.KeyQuery = g.query(o.KeyQuery)
			if o.Val != nil {
				g.patterns([]*gojq.Pattern{o.Val})
			}
		}
	}
}

// call guards a call of a function.
func (g *guarding) call(t *gojq.Term) *gojq.Term {
	f := t.Func
	if strings.HasPrefix(f.Name, "$") {
		g.variable(f.Name)
		return t
	}
	args := slices.Clone(f.Args)
	for i, arg := range args {
		args[i] = g.query(arg)
	}
	id := f.Name + "/" + strconv.Itoa(len(args))
	text, known := functions[id]
	switch {
	case g.own[id]:
		f.Args = args
		return t
	case !known:
		g.fail("function not defined: %s", id)
		return t
	case text == "":
		f.Args = args
		return t
	}
	if strings.Contains(text, "$made") {
		text = strings.ReplaceAll(text, "$made", strconv.FormatBool(!constant(f.Args[0])))
	}
	return made(text, args...)
}
