package contracttest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// slow is a CPF for which the bureau answers slowly.
const slow = "39053344705"

// RunClient runs a client's program against its own service, and fails where an answer breaks the contract, or where
// the client left an operation out.
//
// The program finds in its environment the service's address (FICHARIO_URL), a key (FICHARIO_KEY), the token of a
// webhook (FICHARIO_TOKEN), and the file of the contract as served (FICHARIO_CONTRACT). The bureau takes three seconds
// to answer about the CPF in FICHARIO_SLOW, so that a batch with it can be paused.
func RunClient(fichario string, command ...string) (err error) {
	if len(command) == 0 {
		return errors.New("name the client's program")
	}
	service := exec.Command(fichario, "serve", "--ephemeral", "--listen", "127.0.0.1:0")
	out, err := service.StdoutPipe()
	if err != nil {
		return err
	}
	if err := service.Start(); err != nil {
		return err
	}
	defer func() {
		_ = service.Process.Kill()
		_ = service.Wait()
	}()
	var line struct{ URL, Chave, Webhook string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&line); err != nil {
		return fmt.Errorf("the service did not start: %w", err)
	}
	dir, err := os.MkdirTemp("", "fichario-witness-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	contract := filepath.Join(dir, "openapi.yaml")
	if err := errors.Join(slowDown(line.URL), download(line.URL+"/openapi.yaml", contract)); err != nil {
		return err
	}
	witness, err := StartWitness(line.URL)
	if err != nil {
		return err
	}
	defer witness.Close()
	client := exec.Command(command[0], command[1:]...)
	client.Env = append(os.Environ(), "FICHARIO_URL="+witness.URL, "FICHARIO_KEY="+line.Chave,
		"FICHARIO_TOKEN="+path.Base(line.Webhook), "FICHARIO_CONTRACT="+contract, "FICHARIO_SLOW="+slow)
	client.Stdout, client.Stderr = os.Stdout, os.Stderr
	if err := client.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, strings.Join(witness.Unlike(), "\n"))
	}
	faults, err := witness.LeftOut()
	if faults = append(witness.Unlike(), faults...); len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return err
}

func slowDown(service string) error {
	script := strings.NewReader(`{"cases": [{"document": "` + slow + `", "delay": "3s"}]}`)
	req, err := http.NewRequest(http.MethodPut, service+"/_/script", script)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("the script is refused with %d", resp.StatusCode)
	}
	return errors.Join(err, resp.Body.Close())
}

func download(from, to string) error {
	resp, err := http.Get(from)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
