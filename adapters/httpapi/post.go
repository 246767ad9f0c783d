package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	intakeapp "fichario/app/intake"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/intake/tree"
	"fichario/domain/webhook"
)

const (
	// leadMax bounds the text of a post, and a whole body whose signature is checked. Files are skipped while streaming;
	// filesMax bounds another body that has them.
	leadMax  = 1 << 20
	filesMax = 32 << 20
	// excerptMax is how much of an oversized body the delivery log keeps, and excerptWithin how long to wait for it.
	excerptMax    = 64 << 10
	excerptWithin = 2 * time.Second
)

// readPost reads the posted body, or as much of it as the delivery log keeps.
func readPost(c *echo.Context, token string, hook webhook.Hook) intakeapp.Post {
	r, writer := c.Request(), responseOf(c).ResponseWriter
	contentType := r.Header.Get(echo.HeaderContentType)
	// A signature covers the exact bytes, so keep them all.
	signed := hook.Signature.Scheme != webhook.NoSignature
	stream := tree.IsMultipart(contentType) && tree.HasBoundary(contentType) && !signed
	limit := int64(leadMax)
	if stream {
		limit = filesMax
	}
	post := intakeapp.Post{Headers: keptHeaders(r.Header, token, hook.Signature.Header)}
	if r.ContentLength > limit {
		_ = http.NewResponseController(writer).SetReadDeadline(time.Now().Add(excerptWithin))
		// Beyond the excerpt the server closes the connection, slowly enough for the response to be read.
		post.Body, _ = io.ReadAll(http.MaxBytesReader(writer, r.Body, excerptMax))
		post.Truncated, post.Declared = true, tooLarge(signed)
		return post
	}
	excerpt := &head{}
	source := io.TeeReader(http.MaxBytesReader(writer, r.Body, limit), excerpt)
	var err error
	if stream {
		post.Body, err = tree.Reduce(contentType, source, leadMax)
	} else {
		post.Body, err = io.ReadAll(source)
	}
	if post.Unread = unread(err, signed); post.Unread != nil {
		post.Body, post.Truncated = excerpt.Bytes(), true
		return post
	}
	post.Signed = post.Body
	if post.Unread = compressed(r, fault.InvalidRequest); post.Unread != nil {
		return post
	}
	if !stream && tree.IsMultipart(contentType) && tree.HasBoundary(contentType) {
		if post.Body, err = tree.Reduce(contentType, bytes.NewReader(post.Signed), leadMax); err != nil {
			post.Unread, post.Body = unread(err, signed), excerpt.Bytes()
		}
	}
	return post
}

// head keeps the beginning of what is written to it, up to excerptMax.
type head struct{ bytes.Buffer }

// Write keeps what still fits and never fails.
func (h *head) Write(p []byte) (int, error) {
	_, _ = h.Buffer.Write(p[:min(len(p), excerptMax-h.Len())])
	return len(p), nil
}

func tooLarge(signed bool) *fault.Error {
	limit := "1 MiB (com arquivos, de 32 MiB)"
	if signed {
		limit = "1 MiB, o limite de um webhook que exige assinatura, mesmo com arquivos"
	}
	return fault.New(fault.BodyTooLarge, "O corpo passa de "+limit+". Envie só os campos do formulário.")
}

// unread is the fault for a body that could not be read; nil when it was.
func unread(err error, signed bool) *fault.Error {
	var (
		over  *http.MaxBytesError
		known *fault.Error
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &over), errors.Is(err, tree.ErrTooLarge):
		return tooLarge(signed)
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.IncompleteRequest,
			"O corpo da requisição não chegou inteiro. Nada foi criado; envie de novo.").Because(err)
	}
	return fault.New(fault.InvalidRequest, "O corpo da requisição não pode ser lido.").Because(err)
}

// keptHeaders are the headers that describe a post: its type, its sender, its signature and its ids. own is the header
// of the webhook's signatures, in lower case; empty for the scheme's default. Other headers, including cookies and
// credentials, are not kept.
func keptHeaders(h http.Header, token, own string) []intake.Pair {
	const valueMax = 1024
	var kept []intake.Pair
	for name, values := range h {
		name = strings.ToLower(name)
		if len(values) == 0 || !tells(name) && name != own || strings.Contains(values[0], token) {
			continue
		}
		value := values[0]
		if len(value) > valueMax {
			if name == "idempotency-key" {
				value = value[:valueMax] // still too long, and refused as such
			} else {
				continue
			}
		}
		kept = append(kept, intake.Pair{Key: name, Value: value})
	}
	slices.SortFunc(kept, func(a, b intake.Pair) int { return cmp.Compare(a.Key, b.Key) })
	return kept
}

func tells(header string) bool {
	switch header {
	case "content-type", "user-agent", "origin", "referer", "idempotency-key":
		return true
	}
	for _, part := range []string{"signature", "hmac", "webhook", "svix", "delivery", "submission", "event"} {
		if strings.Contains(header, part) {
			return true
		}
	}
	return false
}
