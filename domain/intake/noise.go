package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// noise says when an answer is dropped for its key. The reader drops only what a rule of this file names and what
// repeats another answer; everything else is in a field or in the note.
type noise uint8

const (
	_ noise = iota // keys that no rule names
	// hardNoise is never an answer, whoever titled it: secrets, captcha tokens, nonces, the browser and its address.
	hardNoise
	// softNoise is bookkeeping under a key that a machine wrote, and an answer under a question's title.
	softNoise
	// stampNoise is dropped when the value is a moment that a machine wrote.
	stampNoise
	// stateNoise is dropped when the value is a machine's word for a state.
	stateNoise
	// rowNoise is dropped when the value is the place of a row in its table (Baserow).
	rowNoise
	// codeNoise is dropped when the value is a machine's code: "order.paid", "CONTACT_CREATED".
	codeNoise
	// typeNoise is dropped when the value is a machine's code for an event or a record; inside a thing for any code.
	typeNoise
	// machineNoise is dropped when the value looks like what a machine writes there: "pt-BR", "2.0.1", a hash.
	machineNoise
	// objectNoise is dropped for the same, and for one word: "event".
	objectNoise
	// currencyNoise is dropped when the value is the sign of a currency: "BRL".
	currencyNoise
)

// noiseKeys are the keys of each kind, in normal form.
var noiseKeys = map[noise]string{
	hardNoise: `
		grecaptcharesponse recaptcharesponse recaptcha recaptchatoken captcha captchatoken hcaptcharesponse hcaptcha
		cfturnstileresponse turnstile turnstiletoken googlekey wpnonce nonce csrf csrftoken csrfmiddlewaretoken
		authenticitytoken xsrftoken requestverificationtoken honeypot gotcha botfield botcheck useragent agentedeusuario
		agentedousuario navegador ip ipaddress ipaddr remoteip ipremoto remoteaddr userip clientip enderecoip senderip ipopt
		ipsignup iporigem charset accesskey apikey secret secretkey accesstoken password senha verificationtoken ak akjs
		akismet handshakekey chaveunica basicauthentication hottok webhooksecret webhooktoken applicationtoken
		wpcf7recaptcharesponse confirmarsenha confirmesenha senhaconfirmacao repetirsenha passwordconfirm
		passwordconfirmation confirmpassword repeatpassword newpassword passwd`,
	softNoise: `
		id ids uuid uid guid token hash sid eventtype triggertype objecttype entitytype filtertype creationdate
		poweredby desenvolvidopor createdat updatedat submittedat modifiedat completedat startedat landedat deletedat
		receivedat timestamp eventtimestamp createdtime createddate updatedtime submissiontime submissiondate submitdate
		timesubmitted datesubmitted eventdatetime firedat lastupdatedat carimbodedatahora carimbodedatahoras dateadded
		datecreated dateupdated submittime currencyvalue paymentstatus paymentmethod paymenttype paymentamount
		paymentdate issilent fromtable unread wpcf7 wpcf7version wpcf7locale wpcf7unittag wpcf7containerpost
		fluentformembdedpostid postid slug href avatar responseurl editurl adminlink emailtype idempotencykey webhookurl
		executionmode antispam antispambotdetector sequence finished testkey istest testlead istestlead responsetime
		listid workspaceid livemode pendingwebhooks vid canonicalvid isstarred isread isfavourite isdraft
		jsexecutiontracker submitsource builddate uploadserverurl timetosubmit validatednewrequiredfieldids
		formfieldmask submissionslink triggerevent authmode columnstart columnend rowstart rowend wpcf7posteddatahash
		viewstate viewstategenerator eventvalidation eventtarget eventargument avatarurl avatartemplate editlink
		analyzeurl editresponseurl targeturl webhookendpoint successurl bookerurl orderkey formslug itemkey
		xformidstring resourceuri uri selfurl profilepic profilepicture senderphoto leadpicture isprimary isdefault ismain
		psignature signaturealgo validationtoken apphash appkey webhookstatus`,
	machineNoise:  `ref lang language locale timezone version schemaversion apiversion duration elapsed`,
	objectNoise:   `object key`,
	currencyNoise: `currency moeda currencycode`,
	stampNoise: `
		date time datetime when datadeenvio horadeenvio created updated changed modified createdon updatedon modifiedon`,
	stateNoise: `status responsestatus`,
	rowNoise:   `order`,
	codeNoise: `
		event eventname webhookeventtype triggercode topic action messagetype contenttype doctype formmode billingreason
		collectionmode initiatedfrom createdvia parenttype valuetype trigger integration`,
	typeNoise: `type leadtype`,
}

// machineStates are the states that bookkeeping uses, in normal form, in English and as the platforms here write them.
var machineStates = names.Set(`
	completed complete finished approved active partial submitted verified subscribed read unread new success received
	pending paid unpaid open opened closed refused rejected declined denied failed failure error inactive enabled disabled
	canceled cancelled refunded partiallyrefunded partiallypaid chargeback chargedback chargebacked disputed protested
	processing processed inprogress inprocess onhold waiting waitingpayment awaitingpayment pendingpayment paymentpending
	authorized captured settled voided expired overdue pastdue delayed trial trialing incomplete incompleteexpired started
	initiated created updated registered unverified confirmed unconfirmed unsubscribed bounced cleaned succeeded successful
	sent delivered queued scheduled done ended won lost draft publish published archived deleted trash trashed spam
	abandoned billetprinted printedbillet fulfilled unfulfilled shipped returned accepted available blocked suspended
	aprovado pago recusado reembolsado estornado aguardandopagamento pagamentoaprovado pagamentopendente`)

// statedRecords are what platforms give states: "order_status", "lead_status".
var statedRecords = names.Set(`
	current old order lead contact deal sale purchase subscription subscriber transaction charge invoice financial
	fulfillment form response submission entry record checkout cart opportunity`)

// keptIDs are words of identifiers that a person looks for in the note: the listing, the order, a nickname.
var keptIDs = names.Set(`
	listing imovel anuncio order pedido tax instagram telegram discord sku property contract contrato apple utm`)

// noisy reports whether a rule drops an answer for its key, or its title. value is its first text.
func (a *answer) noisy(value string) bool {
	if a.labelled && a.key != a.title && lookup(a.key).noise == hardNoise {
		return true
	}
	if a.isSecret(value) {
		return true
	}
	key, labelled := a.name(), a.labelled && !a.closed // a person wrote the title
	if kind := a.noiseKind(); kind != 0 {
		return kind == hardNoise || !labelled && kind.drops(value)
	}
	if a.entry.field != noField || a.entry.attr != noAttr {
		return false
	}
	if a.isFurniture(value) || isBrowser(key, value) || !labelled && isBookkeeping(key, value) || a.ofPayment(key, value) {
		return true
	}
	if labelled && strings.IndexByte(key, ' ') >= 0 || strings.IndexByte(value, '@') >= 0 {
		return false // an address is not bookkeeping, even under "email_id"
	}
	return noisySuffix(key, labelled)
}

// isFurniture reports whether an answer says how a program keeps something: which of several phones another answer is,
// or what a thing is not.
func (a *answer) isFurniture(value string) bool {
	if a.title != "" || a.prefix == "" {
		return false
	}
	if a.logical {
		if !a.closed && !a.deal || value != "Não" || len(a.key) < 4 || plainKey(a.key) {
			return false
		}
		w := names.Words(a.key)
		return len(w) > 1 && (w[0] == "is" || a.closed && (w[0] == "has" || w[0] == "can"))
	}
	switch a.key {
	case "type", "label", "category", "kind", "field":
		return mailboxLabels[names.Of(value)] && meansOfContact(a.holder())
	}
	return false
}

// noiseKind is the noise that an answer's key may be, where it stands.
func (a *answer) noiseKind() noise {
	switch kind := a.entry.noise; {
	case kind == typeNoise && a.prefix != "":
		return codeNoise // what kind of thing it is
	case kind == machineNoise && a.closed && !a.marks.has(asked) && !names.HasAny(names.Words(a.prefix), keptIDs):
		return softNoise // what a program keeps about itself
	default:
		return kind
	}
}

// drops reports whether the value makes an answer of this kind bookkeeping.
func (n noise) drops(value string) bool {
	switch n {
	case softNoise:
		return true
	case stampNoise:
		return isStamp(value)
	case stateNoise:
		return isMachineState(value)
	case codeNoise:
		return isCode(value)
	case typeNoise:
		return isCode(value) && (strings.ContainsAny(value, ".:") || names.HasAny(names.Words(value), codeWords))
	case machineNoise:
		return isMachineMade(value)
	case objectNoise:
		return isMachineMade(value) || isCode(value) || plainKey(value)
	case currencyNoise:
		return len(value) <= 3 && names.CountDigits(value) == 0
	case rowNoise:
		return strings.HasSuffix(value, ".00000000000000000000")
	}
	return false
}

// records are what integrators number: "Response ID".
var records = names.Set(`
	form response submission respondent network lead ad adset adgroup campaign creative page zap record entry session
	survey`)

// noisySuffix reports keys that end in what they are: form_id, pageUuid, _fluentform_3_fluentformnonce.
func noisySuffix(key string, labelled bool) bool {
	n := len(key)
	if strings.HasPrefix(key, "_wpnonce-") {
		return true // Divi's
	}
	if n < 2 || n > 80 || strings.IndexByte("densDENS", key[n-1]) < 0 {
		return false
	}
	words := names.Words(key)
	if len(words) == 0 || strings.IndexByte(key, ' ') >= 0 && (len(words) != 2 || !records[words[0]]) {
		return false
	}
	last := words[len(words)-1]
	if strings.HasSuffix(last, "nonce") {
		return true
	}
	if last == "response" && strings.HasSuffix(words[max(0, len(words)-2)], "captcha") {
		return true
	}
	if labelled || len(words) < 2 && !strings.HasPrefix(key, "_") {
		return false
	}
	switch last {
	case "token":
		return true
	case "id", "ids", "uuid", "guid", "uid":
		return !names.HasAny(words, keptIDs)
	}
	return false
}

// isBrowser reports whether a value is a browser's User-Agent, or its IP address under a key that says so.
func isBrowser(key, value string) bool {
	if strings.HasPrefix(value, "Mozilla/") {
		return true
	}
	if len(value) < 7 || len(value) > 39 || strings.Count(value, ".") != 3 && strings.Count(value, ":") < 2 {
		return false
	}
	for i := range len(value) {
		if c := value[i]; tree.Unhex(c) < 0 && c != '.' && c != ':' {
			return false
		}
	}
	return names.HasAny(names.Words(key), ipWords)
}

// ofPayment reports whether a platform states something about a payment: "payment_id", "paymentGateway". People do not
// write titles like that. The payer's name, address, phone or document, however, is about the contact.
func (a *answer) ofPayment(key, value string) bool {
	const payment = "payment"
	n := len(payment)
	if len(key) <= n+1 || !strings.EqualFold(key[:n], payment) || strings.IndexByte(key, ' ') >= 0 {
		return false
	}
	camel := key[n-1] == 't' && key[n] >= 'A' && key[n] <= 'Z'
	if key[n] != '_' && !camel || strings.IndexByte(value, '@') >= 0 {
		return false
	}
	words := names.Words(key)
	ofContact := partOfName(words) != noField || names.HasAny(words, phoneWords) && surelyPhone(a) || a.namesDocument()
	return !ofContact
}

// isMachineState reports whether a value is a machine's word for a state.
func isMachineState(value string) bool {
	var buf [64]byte
	return len(value) <= 40 && strings.IndexByte(value, '@') < 0 && machineStates[string(names.Append(buf[:0], value))]
}

// isCode reports whether a value is a word that only machines write.
func isCode(s string) bool {
	if len(s) > 60 || !text.Printable(s) || !strings.ContainsAny(s, "._:") {
		return false
	}
	for i := range len(s) {
		if !names.IsLetter(s[i]|0x20) && strings.IndexByte("._:-", s[i]) < 0 {
			return false
		}
	}
	return true
}

// codeWords are words of the codes of events and records; people's words for a type have none ("pessoa_juridica").
var codeWords = names.Set(`
	event webhook hook control form forms submission submit submitted response answer record records row rows entry
	entries item items created create updated update deleted delete insert inserted added add new changed completed
	complete finished received sent approved paid refunded canceled cancelled expired pending failed succeeded
	confirmed started opened closed subscribe unsubscribe lead leads leadgen contact contacts customer subscriber
	subscription order purchase payment invoice checkout cart sale charge transaction booking appointment invitee
	message messages conversation ticket deal person user page notification trigger conversion integration manual
	automatic api plain multipart application text html json`)

// isMachineMade reports whether a value is a number or version, a place's language or time, a length of time, a hash or
// a code.
func isMachineMade(s string) bool {
	digits := names.CountDigits(s)
	switch {
	case len(s) > 60 || strings.IndexByte(s, ' ') >= 0 || !text.Printable(s):
		return false
	case digits > 0 && (strings.Trim(s, "0123456789.:+-vV") == "" || strings.HasPrefix(s, "PT")): // 2.0.1, -03:00, PT5M
		return true
	case strings.IndexByte(s, '/') > 0 && digits == 0, s == "UTC", s == "GMT": // America/Sao_Paulo
		return true
	case len(s) >= 16 && digits > 0, len(s) >= 8 && digits > 0 && isHex(strings.ReplaceAll(s, "-", "")):
		return true
	}
	language, place, _ := strings.Cut(strings.ReplaceAll(s, "_", "-"), "-")
	return len(language) == 2 && len(place) <= 4 || len(place) == 2 && plainKey(language) || strings.ContainsAny(s, ".:")
}

// isBookkeeping reports whether a program keeps a key for itself: a time of its own, a zero sum, a currency, an id in
// another service.
func isBookkeeping(key, value string) bool {
	if strings.HasPrefix(value, "urn:") {
		return true
	}
	if isStateOfRecord(key) && isMachineState(value) {
		return true
	}
	stamp, nothing := isStamp(value), value == "0" || value == "0.00" || value == "0.0"
	code := len(value) == 3 && strings.ToUpper(value) == value && names.CountDigits(value) == 0
	if !stamp && !nothing && !code || plainKey(key) || strings.IndexByte(key, ' ') >= 0 {
		return false
	}
	words := names.Words(key)
	switch last := words[max(0, len(words)-1):]; {
	case len(words) < 2:
		return false
	case stamp:
		recorded := names.HasAny(words, recordedWords) || len(words) == 2 && doneWords[words[0]] && momentWords[words[1]]
		return recorded && !names.HasAny(words, phoneWords)
	case nothing:
		return names.HasAny(words, sumWords)
	default:
		return last[0] == "currency"
	}
}

// isStateOfRecord reports whether a key is that of the state of a platform's record.
func isStateOfRecord(key string) bool {
	n := len(key) - len("status")
	if n < 1 || len(key) > 60 || !strings.EqualFold(key[n:], "status") || strings.IndexByte(key, ' ') >= 0 {
		return false
	}
	return statedRecords[names.Words(key)[0]]
}

// recordedWords mark times that a program records, doneWords before one of momentWords too: "booked_at" and
// "order_date", but not "booked_for" and "order_delivery_date", which somebody waits for. sumWords mark sums.
var (
	recordedWords = names.Set(`
		created updated modified changed sent opened published completed approved submitted received deleted fired last
		original triggered entry sale event criado atualizado enviado occurred timestamp createdate updatedate paid payment
		purchase registered`)
	doneWords   = names.Set(`add update create trigger booked finished order`)
	momentWords = names.Set(`at on date time datetime timestamp`)
	sumWords    = names.Set(`
		amount total tax discount shipping fee refunded subtotal balance remaining count orders spent paid monthly montly`)
)

var ipWords = names.Set(`ip ipaddress`)

// isFile reports whether a text is a file in base64, which nobody reads in a note.
func isFile(s string) bool {
	if strings.HasPrefix(s, "data:") {
		return strings.Contains(s[:min(len(s), 200)], ";base64,")
	}
	return len(s) >= 400 && isBase64(s)
}

// isBase64 reports whether a text has only the characters of base64, and a digit.
func isBase64(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return names.CountDigits(s) > 0
}

// isStamp reports whether a value is a time to the second, as machines write it. A visit that a person books has no
// seconds.
func isStamp(s string) bool {
	if len(s) < 19 || len(s) > 40 {
		// Unix time in seconds or milliseconds, of this century: phones have as many digits.
		return (len(s) == 10 || len(s) == 13) && names.CountDigits(s) == len(s) && s[0] >= '1' && s[0] <= '3'
	}
	date := names.CountDigits(s[:4]) == 4 && s[4] == '-' && s[7] == '-'
	return date && (s[10] == 'T' || s[10] == ' ') && s[13] == ':' && s[16] == ':'
}

// isSecret reports whether an answer is a secret by its name or by its form: what opens an account, signs a request,
// tells a browser apart or is paid by.
func (a *answer) isSecret(value string) bool {
	switch {
	case a.logical || a.entry.field != noField:
		return false
	case fields.IsPayable(a.key, value) && !a.asksPerson():
		return true
	case len(value) >= 40 && names.Of(a.key) == "signature" && isBase64(value):
		return true // of the post (Amazon SNS)
	case strings.HasPrefix(value, "Bearer ") && len(value) > 20, strings.HasPrefix(value, "eyJ") && strings.Contains(value, ".eyJ"):
		return strings.Count(value, " ") <= 1
	case strings.IndexByte(value, '=') > 0:
		if name := names.Of(a.key); name == "cookie" || name == "cookies" {
			return true
		}
	}
	if names.Secret(a.name()) || a.opensAccount(value) {
		return true
	}
	return a.title != "" && a.key != a.title && strings.IndexByte(a.key, ' ') < 0 && names.Secret(a.key)
}
