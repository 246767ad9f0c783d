package privacy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWhatIsFoundMayBe: the cheap look at a number before FindIn passes over none in which FindIn finds somebody.
func TestWhatIsFoundMayBe(t *testing.T) {
	t.Parallel()
	const written = "00112233445566778899 .()/-"
	random, found := rand.New(rand.NewPCG(1, 2)), 0
	starts := []string{"", "+", "+55", "(11) 9", "11 9", "021 11 9", "+1 415", "0", "00", "529.982.247-25", "11 2222-333"}
	for range 20_000 {
		number := []byte(starts[random.IntN(len(starts))])
		for range 4 + random.IntN(14) {
			number = append(number, written[random.IntN(len(written))])
		}
		for _, i := range FindIn(string(number)) {
			if found++; !i.mayBe(string(number)) {
				t.Fatalf("%q holds %s", number, i.Type)
			}
		}
	}
	if found < 1_000 {
		t.Errorf("only %d were found", found)
	}
}

// TestOnlyThePersonsNumberIsCut: others' numbers in the same line stay, wherever the person's stands among them.
func TestOnlyThePersonsNumberIsCut(t *testing.T) {
	t.Parallel()
	const his = "11946003255"
	p := &Person{Identities: []Identity{{Phone, "+55" + his}}}
	for _, between := range []string{" ", ", ", "; ", " / ", " e ", " - "} {
		for _, written := range []string{his, "(11) 94600-3255", "+55 11 94600-3255", "11 94600 3255"} {
			for before := range 9 {
				numbers := make([]string, 12)
				for n := range numbers {
					numbers[n] = fmt.Sprintf("1198%07d", 1234567+n*97)
				}
				numbers[before] = written
				text := strings.Join(numbers, between)
				numbers[before] = redacted
				if got, want := p.Redact(text), strings.Join(numbers, between); got != want {
					t.Errorf("%q\nis %q\nnot %q", text, got, want)
				}
			}
		}
	}
}

// TestANumberBehindALetterIsCut: the letters and digits before it may be somebody's order.
func TestANumberBehindALetterIsCut(t *testing.T) {
	t.Parallel()
	p := &Person{Identities: []Identity{{CPF, "52998224725"}}}
	if got := p.Redact("Pedido 20a529.982.247-25 de Bia, 2ª via"); got != "Pedido 20a[apagado] de Bia, 2ª via" {
		t.Error(got)
	}
}
