package intake

import "testing"

// TestLeadingWordsInOnePiece: the word that a product puts before a key is also removed from its normal form.
func TestLeadingWordsInOnePiece(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]field{
		"txtnome": fieldName, "txtemail": fieldEmail, "txttelefone": fieldPhone, "inputnome": fieldName, "txtname": fieldName,
		"inputemail": fieldEmail, "minhaempresa": fieldCompany, "meutelefone": fieldPhone, "cfempresa": fieldCompany,
		"q4email": fieldEmail, "q12telefone": fieldPhone, "Q4Email": fieldEmail, "nolabelemail": fieldEmail,
		"fieldemail": fieldEmail, "fieldtelefone": fieldPhone, "TXTNOME": fieldName, "txtnome_2": fieldName,
		"txtnome_1a2b": fieldName, "txtnome_completo": fieldName, "yourmobile": fieldPhone, "seuorcamento": fieldAmount,
		"suaorganizacao": fieldCompany, "inputmensagem": fieldMessage, "cforigem": fieldOrigin, "txtsobrenome": fieldLast,
		"NMCLIENTE": fieldName, "nmpessoa": fieldName, "NMEMPRESA": fieldCompany, "NRDDD": fieldArea, "nrcelular": fieldPhone,
		"NRTELEFONE": fieldPhone,
	} {
		if e, _, ok := aliasOf(key); !ok || e.field != want {
			t.Errorf("%q: %d, want %d", key, e.field, want)
		}
	}
	// Only one word is removed, from the front, and form names for the parts of a field are not answers.
	for _, key := range []string{
		"fieldname", "fieldnames", "fieldvalue", "fieldtype", "fieldlabel", "fieldtext", "fieldid", "fielddescription",
		"fieldmessage", "fieldsource", "inputname", "inputvalue", "inputtype", "inputtext", "INPUTNAME", "formname",
		"formemail", "q4", "qemail", "q4xemail", "txt", "cf", "txtinputnome", "txtformname", "nometxt", "seuil", "cfo",
		"inputs", "fieldset", "txtcor", "usernametxt", "NRCLIENTE", "nrcontato", "nrlead", "nrvalor", "nr", "NMVENDEDOR",
		"NMMAE", "NMPRODUTO", "NRPEDIDO", "dmcliente",
	} {
		if e, _, ok := aliasOf(key); ok {
			t.Errorf("%q: %d", key, e.field)
		}
	}
	d := mustRead(t, "", `{"txtnome":"Ana","txtemail":"ana@x.com","meutelefone":"11987654321","cfempresa":"Casa",
		"q4origem":"Feira","inputname":"form-contato","fieldtype":"text"}`)
	if d.Name != "Ana" || d.Email != "ana@x.com" || d.Phone != "11987654321" || d.Company != "Casa" ||
		d.Origin != "Feira" || d.Note() != "inputname: form-contato\nfieldtype: text" {
		t.Errorf("%+v", d)
	}
}
