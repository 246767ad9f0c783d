package examples

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// TestOnPostgreSQL asks about a company; containers_test.go starts the service.
func TestOnPostgreSQL(t *testing.T) {
	url, fichario := start(t)
	var org, key struct{ ID, Key string }
	read(t, fichario("org", "create", "--name", "Testes", "--json"), &org)
	read(t, fichario("key", "create", "--org", org.ID, "--name", "Testes", "--scopes", "cnpj", "--json",
		"--per-minute", "60", "--per-day", "500", "--per-month", "5000"), &key)
	body := strings.NewReader(`{"produto":"score","documento":"11222333000181"}`)
	req := must(http.NewRequest(http.MethodPost, url+"/api/v1/consultas", body))
	req.Header.Set("Authorization", "Bearer "+key.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", res, err)
	}
}

func read(t *testing.T, command *exec.Cmd, into any) {
	if err := json.Unmarshal(must(command.Output()), into); err != nil {
		t.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
