package fields

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestE164(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"+55 (11) 98765-4321": "+5511987654321", "11 98765-4321": "+5511987654321", "55 15988120034": "+5515988120034",
		"0xx41 3333-2211": "+554133332211", "(0xx41) 3333-2211": "+554133332211", "011 98765-4321": "+5511987654321",
		"+1 415 555 2671": "+14155552671", "15550000000": "", "123": "", "não tenho": "", "": "",
		"+55 0 11 98765-4321": "+5511987654321", "71 9 8888-7777": "+5571988887777", "11.97777.6666": "+5511977776666",
		"999990000": "", "+351 912 345 678": "+351912345678", "5511930004000": "+5511930004000",
		"11930004000 ramal 2": "+5511930004000", "p:+5511977776666": "+5511977776666", "(11) 8888-7777": "+5511988887777",
		"551188887777": "+5511988887777", "+55 11 8888-7777": "+5511988887777", "+1 188 888 7777": "", "(00) 8888-7777": "",
		"11988887777.0": "+5511988887777", "(11) 98765-4321 (WhatsApp)": "+5511987654321",
		"11 98765-4321 - Ana": "+5511987654321", "11987654321 whats": "+5511987654321", "zap 11 98765-4321": "+5511987654321",
		"(11) 98765-4321 / (11) 3456-7890": "+5511987654321", "11 98765-4321; 11 3456-7890": "+5511987654321",
		"11 98765\u20114321 s\u00f3 whatsapp": "+5511987654321", "3498-7654 cel": "", "3498-7654 ramal 11": "",
		"tel:+55-11-98765-4321": "+5511987654321", "11 / 98765-4321": "+5511987654321", "1198765FLOR": "",
		"+55 55 11 98765-4321": "+5511987654321", "5555 11987654321": "+5511987654321", "55 55 11 3456-7890": "+551134567890",
		"55 8765-4321": "+5555987654321", "(011) 8765-4321": "+5511987654321", "5555987654321": "+5555987654321",
	} {
		if got := E164(text); got != want {
			t.Errorf("E164(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestBrazilian compares the shortcut with the library.
func TestBrazilian(t *testing.T) {
	t.Parallel()
	check := func(s string) {
		if short := brazilian(s); short != "" && short != parsePhone(s) {
			t.Fatalf("%q: %q, and the library says %q", s, short, parsePhone(s))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for area := range 100 {
		for third := range 10 {
			for fourth := range 10 {
				n := fmt.Sprintf("%02d%d%d%07d", area, third, fourth, rnd.IntN(1e7))
				for range 2 {
					l := fmt.Sprintf("%02d%d%d%06d", area, third, fourth, rnd.IntN(1e6))
					check(l)
					check("55" + l)
					check("+55 (" + l[:2] + ") " + l[2:6] + "-" + l[6:])
				}
				written := "(" + n[:2] + ") " + n[2:7] + "-" + n[7:]
				for _, s := range []string{
					n, "55" + n, "+55" + n, "+" + n, written, "+55 " + written, "55." + n, "5" + n, "-" + n, "((" + n, n + "-",
					n + "(", "+ 55" + n, " " + n,
				} {
					check(s)
				}
			}
		}
	}
	chars := "0123456789 -().+55119"
	for range 8000 {
		b := make([]byte, 8+rnd.IntN(14))
		for i := range b {
			b[i] = chars[rnd.IntN(len(chars))]
		}
		check(string(b))
	}
}

func BenchmarkE164Library(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if parsePhone("(11) 3333-4444") == "" {
			b.Fatal()
		}
	}
}
