package agents

import (
	"encoding/json"
	"testing"

	"fichario/domain/fault"
)

// TestArguments: only the schema's names, exactly, and each once: a lenient reading may cost money.
func TestArguments(t *testing.T) {
	t.Parallel()
	tool := statementTool()
	for sent, taken := range map[string]bool{
		"": true, "null": true, "{}": true, `{"limite":3}`: true, `{"limite":3,"cache":null}`: true,
		`{"LIMITE":3}`: false, `{"Limite":3,"limite":2}`: false, `{"limite":3,"limite":3}`: false, `{"x":1}`: false,
		`[]`: false, `"limite"`: false, `{"limite":3`: false, `{"limite":"3"}`: false, `{"lim\u0069te":3}`: true,
		`{"limite":1,"lim\u0069te":3}`: false,
	} {
		var args statementArgs
		err := decode(json.RawMessage(sent), &args, tool)
		if taken != (err == nil) || err != nil && fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", sent, err)
		}
	}
}
