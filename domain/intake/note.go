package intake

import "strings"

// Note returns the text of the contact's note: the message, a line when the submission is a test, and the leftover, one
// question per line. It is "" when there is nothing to say.
func (d Draft) Note() string {
	var b strings.Builder
	b.WriteString(d.Message)
	section := func() {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
	}
	if d.Test {
		section()
		b.WriteString("Envio de teste: quem enviou marcou este contato como teste.")
	}
	if len(d.Leftover) > 0 {
		section()
	}
	for i, p := range d.Leftover {
		if i > 0 {
			b.WriteByte('\n')
		}
		title := strings.TrimRight(p.Key, ": ")
		if title == "" {
			title = "Campo sem nome"
		}
		b.WriteString(title)
		b.WriteByte(':')
		if !strings.Contains(p.Value, "\n") {
			b.WriteByte(' ')
			b.WriteString(p.Value)
			continue
		}
		for line := range strings.SplitSeq(p.Value, "\n") {
			b.WriteString("\n  ")
			b.WriteString(line)
		}
	}
	return b.String()
}
