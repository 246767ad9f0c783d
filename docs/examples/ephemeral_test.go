// Package examples shows how to test software built on Fichário. Copy what you need.
package examples

import (
	"bufio"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"testing"
)

// TestAPersonIsFound starts a whole service for this test, in memory. FICHARIO is the path of the program.
func TestAPersonIsFound(t *testing.T) {
	program := cmp.Or(os.Getenv("FICHARIO"), "fichario")
	cmd := exec.CommandContext(t.Context(), program, "serve", "--ephemeral", "--listen", "127.0.0.1:0")
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var service struct{ URL, Chave string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&service); err != nil {
		t.Fatal(err)
	}

	req, _ := http.NewRequest(http.MethodGet, service.URL+"/api/v1/cpf/52998224725", nil)
	req.Header.Set("Authorization", "Bearer "+service.Chave)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var person struct{ SituacaoCadastral string }
	if err := json.NewDecoder(res.Body).Decode(&person); err != nil || person.SituacaoCadastral != "REGULAR" {
		t.Errorf("status %d, %q, %v", res.StatusCode, person.SituacaoCadastral, err)
	}
}
