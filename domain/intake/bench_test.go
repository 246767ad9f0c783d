package intake

import (
	"os"
	"testing"
)

func BenchmarkReadFlat(b *testing.B) {
	body := []byte(`{"email":"ana.souza@exemplo.com.br","nome":"Ana Souza","telefone":"+55 (11) 91234-5678",` +
		`"empresa":"Souza Consultoria","valor":"R$ 1.234,56","mensagem":"Quero uma proposta","origem":"google ads"}`)
	b.ReportAllocs()
	for b.Loop() {
		if d, err := Read(Options{Kind: Generic}, "application/json", body); err != nil || d.Amount != 12345600 {
			b.Fatal(d, err)
		}
	}
}

func BenchmarkReadTypeform(b *testing.B) {
	body, err := os.ReadFile("testdata/payloads/03-typeform.json")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if d, err := Read(Options{Kind: FormService}, "application/json", body); err != nil || d.Email == "" {
			b.Fatal(d, err)
		}
	}
}
