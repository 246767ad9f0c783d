package bureau

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/jq"
	"fichario/domain/catalog"
)

// searchTime bounds the search. An answer that takes longer has its remaining keys taken as read.
const searchTime = 10 * time.Second

// search finds the keys of an answer that no program of a file reads. jq can reach a key in any number of ways, so it
// changes one key after another and runs the programs: a key is read if an outcome changes.
type search struct {
	ctx      context.Context
	until    time.Time
	programs []*jq.Program // the fields' come first, those that read a received.view last
	views    int           // from here on
	status   int
	values   []any
	product  catalog.Product
	fields   []fieldMapping
	before   []outcome
	reads    []bool // by program: whether it gives something, or would with another value of some key
	tries    []any
	names    map[string]bool // what the programs may name
	unread   []string
}

// outcome is what a program gave. projected is the answer that it makes; a failing field is null there. The others
// are set where the answer does not show it: for programs that are no field's, and for values of the wrong type.
type outcome struct {
	projected string
	value     any
	failed    bool
}

var (
	words    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	literals = regexp.MustCompile(`"([^"\\]*)"`)
	numbers  = regexp.MustCompile(`\b[0-9]+\b`)
)

// maxLiterals bounds the texts and numbers of the programs that are tried as values.
const maxLiterals = 60

func newSearch(ctx context.Context, f *File, m *mapping, doc asked, decoded any) *search {
	s := &search{
		ctx: ctx, until: time.Now().Add(searchTime), product: m.product, fields: m.fields,
		values: doc.variables(m.product.ID), status: f.answered[0],
		names: map[string]bool{},
		// What programs look for when they select: a text, numbers, a date, a phone, an address, and everything empty.
		tries: []any{
			"?", "11987654321", "1999-12-31", "31121999", "a@b.example", "", json.Number("7"), true, false, nil,
			[]any{}, map[string]any{}, []any{"?"},
		},
	}
	for _, f := range m.fields {
		s.programs = append(s.programs, f.jq)
	}
	add := func(list ...*jq.Program) {
		for _, p := range list {
			if p != nil {
				s.programs = append(s.programs, p)
			}
		}
	}
	add(f.failed, m.found)
	add(f.parts(m)...)
	s.views = len(s.programs)
	add(m.charged, m.amount)
	for _, c := range slices.Concat(f.notCharged, f.exhausted) {
		if c.status == s.status {
			add(c.when)
		}
	}
	seen := map[string]bool{}
	try := func(text string, v any) {
		if !seen[text] && len(seen) < maxLiterals {
			seen[text] = true
			s.tries = append(s.tries, v)
		}
	}
	for _, p := range s.programs {
		for _, name := range words.FindAllString(p.Source(), -1) {
			s.names[name] = true
		}
		for _, text := range literals.FindAllStringSubmatch(p.Source(), -1) {
			s.names[text[1]] = true
			try(text[1], text[1])
		}
		for _, number := range numbers.FindAllString(p.Source(), -1) {
			try("number "+number, json.Number(number))
			if n, err := strconv.Atoi(number); err == nil {
				try(number, strconv.Itoa(n))
			}
		}
	}
	nothing, _ := m.product.Project(nil)
	for i := range s.programs {
		o := s.run(i, decoded)
		s.before = append(s.before, o)
		s.reads = append(s.reads, i >= len(s.fields) || o.value != nil || o.projected != string(nothing))
	}
	return s
}

// parts are the programs of the products that read a product's answers too.
func (f *File) parts(m *mapping) (programs []*jq.Program) {
	for _, other := range f.mappings {
		if slices.Contains(m.also, other.product.ID) {
			programs = append(programs, other.found)
			for _, field := range other.fields {
				programs = append(programs, field.jq)
			}
		}
	}
	return programs
}

// run runs a program, by its number.
func (s *search) run(i int, input any) outcome {
	if i >= s.views {
		input = received{status: status{code: s.status}, decoded: input}.view()
	}
	v, err := s.programs[i].Run(s.ctx, input, s.values...)
	if i >= len(s.fields) {
		return outcome{value: v, failed: err != nil}
	}
	if err != nil {
		v = nil
	}
	fields, dropped := s.product.Project(map[string]any{s.fields[i].name: v})
	o := outcome{projected: string(fields)}
	if len(dropped) > 0 {
		o.value = v
	}
	return o
}

// look examines the keys below v, which is at path. with returns the whole answer with another value in v's place.
func (s *search) look(v any, path string, with func(any) any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			change := func(other any, gone bool) any { return with(changed(v, key, other, gone)) }
			s.key(v[key], path, key, change, change)
		}
	case []any:
		s.elements(v, path+"[]", with)
	}
}

// elements examines the keys of a list's objects, each key in all of them at once.
func (s *search) elements(list []any, path string, with func(any) any) {
	first := map[string]int{} // the first element in which a key is not empty
	for i, e := range list {
		object, _ := e.(map[string]any)
		for key, v := range object {
			if old, ok := first[key]; !ok || !empty(v) && empty(list[old].(map[string]any)[key]) {
				first[key] = i
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(first)) {
		change := func(other any, gone bool, only func(i int) bool) any {
			all := slices.Clone(list)
			for i, e := range all {
				object, _ := e.(map[string]any)
				if _, has := object[key]; has && only(i) {
					all[i] = changed(object, key, other, gone)
				}
			}
			return with(all)
		}
		s.key(list[first[key]].(map[string]any)[key], path, key,
			func(other any, gone bool) any { return change(other, gone, func(int) bool { return true }) },
			func(other any, gone bool) any {
				return change(other, gone, func(i int) bool { return i == first[key] })
			})
	}
}

// changed is a copy of an object with another value for a key, or without it.
func changed(object map[string]any, key string, other any, gone bool) map[string]any {
	object = maps.Clone(object)
	if object[key] = other; gone {
		delete(object, key)
	}
	return object
}

// key examines one key with its value. with returns the answer with another value in its place, or without the key;
// inside does the same in the one place that v is from.
func (s *search) key(v any, path, key string, with, inside func(other any, gone bool) any) {
	step := "." + key
	if words.FindString(key) != key {
		step = "[" + strconv.Quote(key) + "]"
	}
	if !s.isRead(with) {
		// What fills an empty value may have a form that was not tried.
		if !empty(v) || !s.names[key] {
			s.unread = append(s.unread, path+step)
		}
		return
	}
	s.look(v, path+step, func(other any) any { return inside(other, false) })
}

// isRead reports whether a change changes an outcome, and marks the programs that read the key.
func (s *search) isRead(with func(any, bool) any) bool {
	read := time.Now().After(s.until) || s.ctx.Err() != nil
	compare := func(input any) {
		for i := range s.programs {
			if (!s.reads[i] || !read) && !reflect.DeepEqual(s.run(i, input), s.before[i]) {
				read, s.reads[i] = true, true
			}
		}
	}
	compare(with(nil, true))
	for _, v := range s.tries {
		if read && !slices.Contains(s.reads, false) {
			break
		}
		compare(with(v, false))
	}
	return read
}

// idle are the fields that read nothing, except for those that are null by intention.
func (s *search) idle() []string {
	var names []string
	for i, f := range s.fields {
		if !s.reads[i] && strings.TrimSpace(f.jq.Source()) != "null" {
			names = append(names, f.name)
		}
	}
	return names
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
