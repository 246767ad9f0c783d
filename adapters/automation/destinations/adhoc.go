package destinations

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fichario/adapters/jq"
	"fichario/adapters/yamlfile"
	"fichario/domain/automation"
)

// Of returns the form of an http action's request: its destination's, or that of its own settings. Faults are named
// after the command's options.
func Of(a automation.Action) (*File, []automation.FieldFault) {
	switch {
	case a.DestinationFile != "":
		f, err := Parse([]byte(a.DestinationFile))
		if err != nil {
			message := "O arquivo do destino tem erros:\n" + err.Error()
			return nil, []automation.FieldFault{{Field: "destination", Message: message}}
		}
		return f, nil
	case a.Destination != "":
		f, ok := Shipped(a.Destination)
		if !ok {
			return nil, []automation.FieldFault{{Field: "destination", Message: fmt.Sprintf(
				"Não há destino com este nome. Os que vêm com o programa são: %s.", strings.Join(Names(), ", "))}}
		}
		return f, nil
	}
	o := &own{file: File{signed: true, main: request{method: "POST"}}}
	o.read(a)
	if len(o.faults) > 0 {
		return nil, o.faults
	}
	return &o.file, nil
}

// own reads the settings of an action without a destination.
type own struct {
	file   File
	faults []automation.FieldFault
}

func (o *own) fault(field, format string, args ...any) {
	o.faults = append(o.faults, automation.FieldFault{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (o *own) read(a automation.Action) {
	if a.Method != "" {
		if o.file.main.method = a.Method; !slices.Contains(methods, a.Method) {
			o.fault("method", "O método é um de %s.", strings.Join(methods, ", "))
		}
	}
	o.file.main.address = addressTemplate(a.URL, func(string) {
		o.fault("url", "O endereço é um http:// ou https:// completo, sem usuário e senha nele; "+
			"um ${SEGREDO} fica depois de https://.")
	})
	seen := map[string]bool{}
	for _, h := range a.Headers {
		o.header(h, seen)
	}
	if a.Body != "" && !takesBody(o.file.main.method) {
		o.fault("body", "Um %s não leva corpo.", a.Method)
	}
	o.file.main.body, o.file.done = o.program("body", a.Body), o.program("done", a.Done)
	for _, t := range append([]template{o.file.main.address}, values(o.file.main.headers)...) {
		for _, p := range t {
			if _, has := o.file.field(p.field); p.field != "" && p.field != idField && !has {
				o.file.Fields = append(o.file.Fields, automation.DestinationField{Name: p.field, Title: p.field, Secret: true})
			}
		}
	}
}

func values(headers []header) []template {
	list := make([]template, len(headers))
	for i, h := range headers {
		list[i] = h.value
	}
	return list
}

func (o *own) header(h automation.Header, seen map[string]bool) {
	var r yamlfile.Reader
	name := r.HeaderName(yamlfile.At{}, h.Name, seen, "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature")
	if len(r.Problems) > 0 || strings.ContainsFunc(h.Value, isControl) {
		o.fault("header", "O cabeçalho %s não pode ser enviado: o nome não serve, está repetido ou é do próprio Fichário, "+
			"ou o valor tem uma quebra de linha.", h.Name)
		return
	}
	value := headerTemplate(h.Value, func(string) {
		o.fault("header", "No cabeçalho %s, depois de ${ vem o nome de um segredo e }.", name)
	})
	hidden := !harmless[name] && !hasField(value)
	o.file.main.headers = append(o.file.main.headers, header{name: name, value: value, hidden: hidden})
}

// harmless are the headers whose text is shown unmasked.
var harmless = map[string]bool{
	"Accept": true, "Accept-Language": true, "Content-Type": true, "User-Agent": true, "Idempotency-Key": true,
}

func (o *own) program(field, src string) *jq.Program {
	if src == "" {
		return nil
	}
	program, err := jq.Compile(src, variables...)
	switch {
	case errors.Is(err, jq.ErrBlank):
		o.fault(field, "A expressão jq está em branco.")
	case err != nil:
		o.fault(field, "A expressão jq não compila: %v", err)
	}
	return program
}
