package docsite

import (
	"html/template"
	"strings"

	"go.yaml.in/yaml/v4"
)

// field describes a part of a body, an answer or a parameter.
type field struct {
	Name, Type  string
	Required    bool
	Nullable    bool
	Description template.HTML
	// Words are the allowed values, and Bounds its other constraints.
	Words  []string
	Bounds string
	// Fields are the parts of an object, or of the objects of a list.
	Fields []field
	// Variants are its alternative shapes.
	Variants []field
}

// deepest bounds how deep a schema is followed.
const deepest = 8

// shape describes a schema.
func (s *language) shape(n *yaml.Node, depth int) field {
	f := field{Type: s.contract.text(n, "type"), Description: s.prose(s.contract.text(n, "description"))}
	f.Nullable = s.contract.text(n, "nullable") == "true"
	f.Words, f.Bounds = s.contract.texts(n, "enum"), s.bounds(n)
	if format := s.contract.text(n, "format"); format != "" && format != "double" {
		f.Type = format
	}
	if depth > deepest {
		return f
	}
	if items := s.contract.at(n, "items"); items != nil {
		of := s.shape(items, depth+1)
		f.Type, f.Fields, f.Variants = strings.TrimSpace("array "+of.Type), of.Fields, of.Variants
		if len(f.Words) == 0 {
			f.Words = of.Words
		}
	}
	required := s.contract.texts(n, "required")
	s.contract.each(s.contract.at(n, "properties"), func(name string, property *yaml.Node) {
		part := s.shape(property, depth+1)
		part.Name = name
		for _, r := range required {
			part.Required = part.Required || r == name
		}
		f.Fields = append(f.Fields, part)
	})
	for _, part := range s.contract.list(n, "allOf") {
		of := s.shape(part, depth+1)
		f.Fields, f.Variants = append(f.Fields, of.Fields...), append(f.Variants, of.Variants...)
		if f.Type == "" {
			f.Type = of.Type
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, variant := range s.contract.list(n, key) {
			of := s.shape(variant, depth+1)
			if to, named := reference(variant); named {
				of.Name = to[strings.LastIndexByte(to, '/')+1:]
			}
			f.Variants = append(f.Variants, of)
		}
	}
	return s.plain(f)
}

// plain writes variants without parts of their own, such as a text or a number, as a type.
func (s *language) plain(f field) field {
	var types []string
	for _, v := range f.Variants {
		if len(v.Fields) > 0 {
			return f
		}
		types = append(types, v.Type)
	}
	if len(types) > 0 && f.Type == "" {
		f.Type, f.Variants = strings.Join(types, " | "), nil
	}
	return f
}

// bounds words the constraints of a value.
func (s *language) bounds(n *yaml.Node) string {
	var all []string
	for _, b := range []struct{ key, words string }{
		{"minimum", "≥ "}, {"maximum", "≤ "}, {"minItems", s.say("itens ≥ ", "items ≥ ")}, {"maxItems", s.say("itens ≤ ", "items ≤ ")},
		{"maxLength", s.say("caracteres ≤ ", "characters ≤ ")}, {"pattern", ""},
	} {
		if value := s.contract.text(n, b.key); value != "" {
			all = append(all, b.words+value)
		}
	}
	return strings.Join(all, " · ")
}
