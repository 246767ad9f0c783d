package privacy_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"mime"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
)

// encodings are what a text comes in. Each takes what another one has made.
var encodings = map[string]func(string) string{
	"as it is":      func(s string) string { return s },
	"percent":       percent,
	"percent twice": func(s string) string { return percent(percent(s)) },
	"form":          url.QueryEscape,
	"old escapes":   func(s string) string { return each(s, "%%u%04x") },
	"JSON":          func(s string) string { return each(s, "\\u%04X") },
	"JSON twice":    func(s string) string { return strings.ReplaceAll(each(s, "\\u%04x"), `\`, `\\`) },
	"JavaScript":    func(s string) string { return eachByte(s, `\x%02x`) },
	"decimal":       func(s string) string { return each(s, "&#%d;") },
	"hexadecimal":   func(s string) string { return each(s, "&#x%X;") },
	"named": func(s string) string {
		return strings.NewReplacer("@", "&commat;", ".", "&period;", " ", "&nbsp;", "(", "&lpar;").Replace(s)
	},
	"entities twice":   func(s string) string { return strings.ReplaceAll(each(s, "&#%d;"), "&", "&amp;") },
	"quoted-printable": func(s string) string { return eachByte(s, "=%02X") },
	"soft breaks": func(s string) string {
		var b strings.Builder
		w := quotedprintable.NewWriter(&b)
		_, _ = w.Write([]byte(strings.Repeat("texto ", 12) + s))
		_ = w.Close()
		return b.String()
	},
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 twice":   func(s string) string { return based(based(s)) },
	"base64, UTF-16": func(s string) string { return based(utf16le("Segue: " + s)) },
	"base64 in lines": func(s string) string {
		code := based(strings.Repeat("Uma mensagem comprida. ", 9) + s + strings.Repeat(" E o resto dela.", 9))
		return strings.Join(slices.Collect(chunks(code, 76)), "\r\n")
	},
	"Q words": func(s string) string { return mime.QEncoding.Encode("utf-8", "é "+s) },
	"B words": func(s string) string { return mime.BEncoding.Encode("utf-8", "é "+s) },
	"full width": func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f {
				return r + 0xfee0
			}
			return r
		}, s)
	},
	"digits of another script": func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r - '0' + '\u0660'
			}
			return r
		}, s)
	},
	"NFD":       norm.NFD.String,
	"upper":     strings.ToUpper,
	"invisible": func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
}

func percent(s string) string { return eachByte(s, "%%%02X") }
func based(s string) string   { return base64.StdEncoding.EncodeToString([]byte(s)) }

func each(s, format string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, format, unit)
	}
	return b.String()
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func chunks(s string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for ; s != ""; s = s[min(n, len(s)):] {
			if !yield(s[:min(n, len(s))]) {
				return
			}
		}
	}
}

func utf16le(s string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// forms are the bodies in which a text stands.
var forms = map[string]func(string) webhook.Delivery{
	"JSON":   func(s string) webhook.Delivery { return posted("application/json", `{"nome":"Rui","x":["`+s+`"]}`) },
	"broken": func(s string) webhook.Delivery { return posted("application/json", `{"nome":"Rui","x":"`+s+` `) },
	"form": func(s string) webhook.Delivery {
		return posted("application/x-www-form-urlencoded", "nome=Rui&x="+s+"&y=1")
	},
	"encoded form": func(s string) webhook.Delivery {
		return posted("application/x-www-form-urlencoded", "nome=Rui&x="+url.QueryEscape(s)+"&y=1")
	},
	"multipart": func(s string) webhook.Delivery {
		return posted("multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n"+s+"\r\n--b--\r\n")
	},
	"a file": func(s string) webhook.Delivery {
		return posted("multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.txt\""+
				"\r\nContent-Transfer-Encoding: base64\r\n\r\n"+based("Segue: "+s)+"\r\n--b--\r\n")
	},
	"text": func(s string) webhook.Delivery { return posted("text/plain", "Contato: "+s+"\nObrigado") },
	"XML":  func(s string) webhook.Delivery { return posted("text/xml", "<a><b>"+s+"</b><c>1</c></a>") },
	"key":  func(s string) webhook.Delivery { return posted("application/json", `{"`+s+`":1}`) },
	"header": func(s string) webhook.Delivery {
		return webhook.Delivery{Headers: []intake.Pair{{Key: "From", Value: s}}}
	},
	"UTF-16": func(s string) webhook.Delivery {
		return posted("application/json", "\xff\xfe"+utf16le(`{"nome":"José","x":"`+s+`"}`))
	},
	"UTF-16 without mark": func(s string) webhook.Delivery {
		return posted("application/json", utf16le(`{"nome":"José","x":"`+s+`"}`))
	},
	"Windows-1252": func(s string) webhook.Delivery {
		body, err := charmap.Windows1252.NewEncoder().String(`{"nome":"José","x":"` + s + `"}`)
		if err != nil {
			body = s // another encoding's characters
		}
		return posted("application/json; charset=iso-8859-1", body)
	},
}

func posted(contentType, body string) webhook.Delivery {
	return webhook.Delivery{Headers: []intake.Pair{{Key: "Content-Type", Value: contentType}}, Body: []byte(body)}
}

func titular() *privacy.Person {
	return &privacy.Person{
		Identities: []privacy.Identity{ana, {Type: privacy.Email, Value: "ana.b@x.example"}},
		Phones:     []privacy.Identity{{Type: privacy.Phone, Value: "+5521997731077"}}, Names: []string{"ana lima"},
	}
}

var (
	hers   = []string{"ana.b@x.example", "529.982.247-25", "52998224725", "Ana Lima (21) 99773-1077"}
	others = []string{
		"mariana.b@x.example", "ana.b@x.example.br", "ana.b@x.example2", "c.ana.b@x.example", "ana.b@xx.example",
		"éana.b@x.example", "ana.b@x.exampleé", "1529.982.247-25", "529982247251", "111.444.777-35",
		"Ana Lima 2199773107712", "Rui Lima (21) 99773-1077", "Ana Lima (21) 99773-1078",
	}
)

// TestAPersonIsFoundInWhateverEncoding: every encoding in every form of body finds the person, and nobody else.
func TestAPersonIsFoundInWhateverEncoding(t *testing.T) {
	t.Parallel()
	p := titular()
	for encoding, encoded := range encodings {
		for form, body := range forms {
			for _, text := range hers {
				if !p.Posted(body(encoded(text))) {
					t.Errorf("%s as %s in %s is not found", text, encoding, form)
				}
			}
			for _, text := range others {
				if p.Posted(body(encoded(text))) {
					t.Errorf("%s as %s in %s is taken for the person", text, encoding, form)
				}
			}
		}
	}
}

// TestAPersonIsFoundInEncodingsOfEncodings: two encodings at random, at a random place of a longer text.
func TestAPersonIsFoundInEncodingsOfEncodings(t *testing.T) {
	t.Parallel()
	names, bodies, p := keys(encodings), keys(forms), titular()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	for range 1500 {
		first, second, form := pick(random, names), pick(random, names), pick(random, bodies)
		if second == "upper" { // spoils what another one has made
			first, second = second, first
		}
		around := func(s string) string {
			return strings.Repeat("Bom dia, Rui. ", random.IntN(5)) + s + strings.Repeat(" Quero um carro.", random.IntN(5))
		}
		find := func(text string) bool {
			return p.Posted(forms[form](encodings[second](around(encodings[first](around(text))))))
		}
		if text := pick(random, hers); !find(text) {
			t.Errorf("seed %d: %s as %s as %s in %s is not found", seed, text, first, second, form)
		}
		// Lines and words that break what another encoding has made leave half of an address, and digits of another
		// script inside its code are no code (&#xE٩;): nobody's mail does that.
		breaks := second == "soft breaks" || second == "digits of another script" || strings.HasSuffix(second, " words")
		if text := pick(random, others); !breaks && find(text) {
			t.Errorf("seed %d: %s as %s as %s in %s is taken for the person", seed, text, first, second, form)
		}
	}
}

func keys[V any](m map[string]V) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

// TestAPersonIsFoundInParts: what the page puts together, such as a number and its area code.
func TestAPersonIsFoundInParts(t *testing.T) {
	t.Parallel()
	p := titular()
	for _, body := range []string{
		`{"first_name":"Ana","last_name":"Lima","phone":"(21) 99773-1077"}`,
		`{"nome":"Ana Lima","telefone":{"ddd":"21","numero":"997731077"}}`,
		`{"first_name":"Ana","last_name":"Lima","telefone":{"ddd":"21","numero":"997731077"}}`,
	} {
		if !p.Posted(posted("application/json", body)) {
			t.Errorf("%s is not found", body)
		}
		if strings := strings.NewReplacer("Lima", "Reis").Replace(body); p.Posted(posted("application/json", strings)) {
			t.Errorf("%s is taken for the person", strings)
		}
	}
	contact := crm.Contact{ID: "1"}
	if p.Posted(webhook.Delivery{ContactID: contact.ID}) {
		t.Error("an erased post is found again")
	}
}

// TestSlowLookingForAPersonIsBounded: a body of a megabyte that hides encodings in encodings ends within a test's time.
func TestSlowLookingForAPersonIsBounded(t *testing.T) {
	t.Parallel()
	p := titular()
	for _, unit := range []string{
		"%2525253D&amp;amp;#64;\\\\\\u0040=3D3D=?utf-8?q?=3D?= YW5hQGI= ", "%", "&", "=?",
		"\\u", "=\r\n", "A", "AAAAAAAA\n", "9 ",
		"ana.b@x.example2 ", "=?a?b?", "\x00", "%41", "&amp;", strings.Repeat("QUJD", 19) + "\n",
	} {
		begun := time.Now()
		if p.Posted(posted("application/json", strings.Repeat(unit, (1<<20)/len(unit)))) {
			t.Errorf("%q is taken for the person", unit)
		}
		t.Logf("%.12q: %v", unit, time.Since(begun).Round(time.Millisecond))
	}
}

func BenchmarkPosted(b *testing.B) {
	p := titular()
	post := posted("application/json", `{"nome":"Rui Reis","email":"rui@x.example","telefone":"(11) 98765-4321",`+
		`"mensagem":"`+strings.Repeat("Quero saber o preço. ", 30)+`"}`)
	post.ContactID = "1"
	for b.Loop() {
		p.Posted(post)
	}
}
