package tracing

import (
	"encoding/binary"
	"encoding/hex"
	"reflect"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The messages of OTLP, as far as this program makes them: spans have neither events nor links, and attributes are
// texts. The tags are the names in JSON and the numbers in protobuf.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans" number:"1"`
	}
	resourceSpans struct {
		Resource   described    `json:"resource" number:"1"`
		ScopeSpans []scopeSpans `json:"scopeSpans" number:"2"`
		SchemaURL  string       `json:"schemaUrl,omitempty" number:"3"`
	}
	described struct {
		Attributes []keyValue `json:"attributes" number:"1"`
	}
	scopeSpans struct {
		Scope named        `json:"scope" number:"1"`
		Spans []spanRecord `json:"spans" number:"2"`
	}
	named struct {
		Name string `json:"name" number:"1"`
	}
	spanRecord struct {
		TraceID           identity   `json:"traceId" number:"1"`
		SpanID            identity   `json:"spanId" number:"2"`
		ParentSpanID      identity   `json:"parentSpanId,omitempty" number:"4"`
		Name              string     `json:"name" number:"5"`
		Kind              int        `json:"kind" number:"6"`
		StartTime         uint64     `json:"startTimeUnixNano,string" number:"7"`
		EndTime           uint64     `json:"endTimeUnixNano,string" number:"8"`
		Attributes        []keyValue `json:"attributes,omitempty" number:"9"`
		DroppedAttributes int        `json:"droppedAttributesCount,omitempty" number:"10"`
		Status            status     `json:"status" number:"15"`
		Flags             uint32     `json:"flags,omitempty" number:"16"`
	}
	status struct {
		Code int `json:"code,omitempty" number:"3"`
	}
	keyValue struct {
		Key   string   `json:"key" number:"1"`
		Value anyValue `json:"value" number:"2"`
	}
	anyValue struct {
		StringValue *string `json:"stringValue" number:"1"`
	}
	// identity is of a trace or a span: hexadecimal in JSON, bytes in protobuf.
	identity []byte
)

// MarshalText is the hexadecimal form.
func (i identity) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, i), nil }

// Values of OTLP's enumerations; those of kinds are the library's.
const (
	statusError = 2
	// knownRemote says that isRemote, whether the parent is in another process, is told.
	knownRemote = 0x100
	isRemote    = 0x200
)

// requestOf is the message for spans, at least one. All have the resource and the scope of this program.
func requestOf(spans []sdk.ReadOnlySpan) request {
	records := make([]spanRecord, len(spans))
	for i, s := range spans {
		records[i] = recordOf(s)
	}
	of := spans[0].Resource()
	return request{[]resourceSpans{{
		Resource:   described{attributes(of.Attributes())},
		ScopeSpans: []scopeSpans{{named{spans[0].InstrumentationScope().Name}, records}},
		SchemaURL:  of.SchemaURL(),
	}}}
}

func recordOf(s sdk.ReadOnlySpan) spanRecord {
	trace, id, parent := s.SpanContext().TraceID(), s.SpanContext().SpanID(), s.Parent().SpanID()
	r := spanRecord{
		TraceID: trace[:], SpanID: id[:], Name: s.Name(), Kind: int(s.SpanKind()),
		StartTime: uint64(s.StartTime().UnixNano()), EndTime: uint64(s.EndTime().UnixNano()), //nolint:gosec // after 1970
		Attributes: attributes(s.Attributes()), DroppedAttributes: s.DroppedAttributes(),
		Flags: uint32(s.SpanContext().TraceFlags()) | knownRemote,
	}
	if parent.IsValid() {
		r.ParentSpanID = parent[:]
	}
	if s.Parent().IsRemote() {
		r.Flags |= isRemote
	}
	if s.Status().Code == codes.Error {
		r.Status.Code = statusError
	}
	return r
}

func attributes(all []attribute.KeyValue) []keyValue {
	out := make([]keyValue, len(all))
	for i, a := range all {
		text := a.Value.String()
		out[i] = keyValue{string(a.Key), anyValue{&text}}
	}
	return out
}

// Wire types of protobuf.
const (
	varint    = 0
	fixed64   = 1
	delimited = 2
	fixed32   = 5
)

// protobuf appends a message of the types above.
func protobuf(out []byte, message reflect.Value) []byte {
	for i := range message.NumField() {
		number, _ := strconv.Atoi(message.Type().Field(i).Tag.Get("number")) // zero would be no protobuf; a test decodes it
		out = field(out, uint64(number)<<3, message.Field(i))                //nolint:gosec // small
	}
	return out
}

// field appends a field, unless it has the default value; tag is its number, without the wire type.
func field(out []byte, tag uint64, value reflect.Value) []byte {
	bytes := func(content []byte) []byte {
		return append(binary.AppendUvarint(binary.AppendUvarint(out, tag|delimited), uint64(len(content))), content...)
	}
	if value.IsZero() && value.Kind() != reflect.Struct {
		return out
	}
	switch v := value.Interface().(type) {
	case string:
		return bytes([]byte(v))
	case *string:
		return bytes([]byte(*v))
	case identity:
		return bytes(v)
	case int:
		return binary.AppendUvarint(binary.AppendUvarint(out, tag|varint), uint64(v)) //nolint:gosec // not negative
	case uint32:
		return binary.LittleEndian.AppendUint32(binary.AppendUvarint(out, tag|fixed32), v)
	case uint64:
		return binary.LittleEndian.AppendUint64(binary.AppendUvarint(out, tag|fixed64), v)
	}
	if value.Kind() == reflect.Struct {
		return bytes(protobuf(nil, value))
	}
	for i := range value.Len() {
		out = field(out, tag, value.Index(i))
	}
	return out
}
