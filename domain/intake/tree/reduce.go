package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"

	"fichario/domain/fault"
)

// ErrTooLarge says that the text parts of a multipart body are larger than the limit.
var ErrTooLarge = errors.New("intake: the text of the multipart body is too large")

// Reduce streams a multipart body: it copies the text parts to a new multipart body with the same boundary, and only
// the headers of the file parts, so that the result can be read, or replayed, with the same Content-Type. limit bounds
// the bytes kept; more is ErrTooLarge. An error of the reader is wrapped; a body that ends early is a fault caused by
// io.ErrUnexpectedEOF.
func Reduce(contentType string, body io.Reader, limit int64) ([]byte, error) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		return nil, err
	}
	source := &boundedReader{r: body}
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, errMalformed(err)
	}
	for parts := multipart.NewReader(source, boundary); ; {
		source.budget = limit + headerAllowance // whatever precedes a part is read into memory
		part, err := parts.NextRawPart()
		//nolint:errorlint // the end of the body is the bare value; a wrapped one is a body cut short
		if err == io.EOF && source.complete(boundary) {
			break
		}
		if err != nil {
			return nil, source.explain(err)
		}
		to, err := w.CreatePart(part.Header)
		if err != nil {
			return nil, errMalformed(err)
		}
		left := limit - int64(out.Len())
		if left < 0 {
			return nil, ErrTooLarge
		}
		from := io.LimitReader(part, left+1)
		source.budget = limit + headerAllowance
		if isFilePart(part) {
			from, to, source.budget = part, io.Discard, unlimited
		}
		copied, err := io.Copy(to, from)
		if err != nil {
			return nil, source.explain(err)
		}
		if to != io.Discard && copied > left {
			return nil, ErrTooLarge
		}
	}
	if err := w.Close(); err != nil {
		return nil, errMalformed(err)
	}
	if int64(out.Len()) > limit {
		return nil, ErrTooLarge
	}
	return out.Bytes(), nil
}

const (
	// headerAllowance is what the multipart reader may buffer beyond the parts that are kept.
	headerAllowance = 64 << 10
	// tailSize is how much of the end is kept: what the multipart reader may have read ahead, and a boundary.
	tailSize = 8 << 10
	// unlimited is a budget that bounds nothing.
	unlimited = -1
)

// boundedReader bounds how much is read, and records the reader's own error, which is not the body's fault.
type boundedReader struct {
	r      io.Reader
	budget int64 // the bytes that may still be read
	err    error
	tail   []byte // the last of what was read
}

// complete reports whether the body was read to its closing boundary.
func (b *boundedReader) complete(boundary string) bool {
	return bytes.Contains(b.tail, closingBoundary(boundary))
}

// Read reads within the budget.
func (b *boundedReader) Read(p []byte) (int, error) {
	if b.budget == 0 {
		return 0, ErrTooLarge
	}
	if b.budget > 0 && int64(len(p)) > b.budget {
		p = p[:b.budget]
	}
	n, err := b.r.Read(p)
	if b.budget > 0 {
		b.budget -= int64(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	if b.tail = append(b.tail, p[:n]...); len(b.tail) > 2*tailSize {
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-tailSize:]...)
	}
	return n, err
}

// explain tells three causes apart: the reader failed, the limit was reached, the body ends early or is malformed.
func (b *boundedReader) explain(err error) error {
	switch {
	case b.err != nil:
		return fmt.Errorf("intake: read the multipart body: %w", b.err)
	case errors.Is(err, ErrTooLarge):
		return ErrTooLarge
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// The reader itself ended normally, so sending the same again will not help.
		return fault.New(fault.InvalidRequest, "O corpo multipart/form-data termina antes do seu fim: falta a linha que o "+
			"fecha, com o limite (boundary) entre dois pares de hifens.").Because(io.ErrUnexpectedEOF)
	}
	return errMalformed(err)
}
