package docsite

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"go.yaml.in/yaml/v4"
)

// explained is an error with its cause and what to do.
type explained struct {
	Problem
	Cause, Remedy template.HTML
	// Example is an answer with this error.
	Example string
}

// words describe an error in one language.
type words struct{ Title, Cause, Remedy string }

// problemForm is the answer for an error that has no example in the contract.
const problemForm = `{
  "type": "/docs/erros#%[1]s",
  "title": %[2]q,
  "status": %[3]d,
  "detail": %[4]q,
  "code": %[1]q,
  "requestId": "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10"
}`

// explain reads the descriptions of the errors. An error without a description, or a description without an error,
// fails.
func (s *language) explain() (all []explained, err error) {
	source, err := files.ReadFile("errors.yaml")
	if err != nil {
		return nil, err
	}
	var described map[string]struct{ PT, EN words }
	if err := yaml.Unmarshal(source, &described); err != nil {
		return nil, fmt.Errorf("errors.yaml: %w", err)
	}
	examples := s.problemExamples()
	for _, p := range s.Problems {
		said := described[p.Code].PT
		answered := fmt.Sprintf(problemForm, p.Code, p.Title, p.Status, strings.ReplaceAll(said.Cause, "`", ""))
		if s.English() {
			said, p.Title = described[p.Code].EN, described[p.Code].EN.Title
		}
		if said.Cause == "" || said.Remedy == "" || p.Title == "" {
			return nil, fmt.Errorf("errors.yaml does not explain %s", p.Code)
		}
		delete(described, p.Code)
		all = append(all, explained{p, s.prose(said.Cause), s.prose(said.Remedy), cmp.Or(examples[p.Code], answered)})
	}
	for code := range described {
		return nil, fmt.Errorf("errors.yaml explains %s, which is no error", code)
	}
	return all, nil
}

// problemExamples are the contract's examples of problems, by code.
func (s *language) problemExamples() map[string]string {
	found := map[string]string{}
	s.contract.each(s.contract.at(s.contract.root, "components", "responses"), func(_ string, response *yaml.Node) {
		examples := s.contract.at(response, "content", "application/problem+json", "examples")
		s.contract.each(examples, func(_ string, e *yaml.Node) {
			value := s.contract.at(e, "value")
			if code := s.contract.text(value, "code"); found[code] == "" {
				found[code] = s.contract.asJSON(value, "  ")
			}
		})
	})
	return found
}
