package tracing

import (
	"encoding/binary"
	"encoding/hex"
	"reflect"
	"strconv"
)

// The messages of OTLP, as far as this program makes them: spans have neither events nor links, and attributes are
// texts. The tags are the names in JSON and the numbers in protobuf.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans" number:"1"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource" number:"1"`
		ScopeSpans []scopeSpans `json:"scopeSpans" number:"2"`
	}
	resource struct {
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
		TraceID      identity   `json:"traceId" number:"1"`
		SpanID       identity   `json:"spanId" number:"2"`
		ParentSpanID identity   `json:"parentSpanId,omitempty" number:"4"`
		Name         string     `json:"name" number:"5"`
		Kind         int        `json:"kind" number:"6"`
		StartTime    uint64     `json:"startTimeUnixNano,string" number:"7"`
		EndTime      uint64     `json:"endTimeUnixNano,string" number:"8"`
		Attributes   []keyValue `json:"attributes,omitempty" number:"9"`
		Status       status     `json:"status" number:"15"`
		Flags        uint32     `json:"flags" number:"16"`
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

// Values of OTLP's enumerations.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	statusError  = 2
	// knownRemote says that isRemote, whether the parent is in another process, is told.
	knownRemote = 0x100
	isRemote    = 0x200
)

func requestOf(of resource, spans []spanRecord) request {
	return request{[]resourceSpans{{of, []scopeSpans{{named{service}, spans}}}}}
}

func attribute(key, value string) keyValue { return keyValue{key, anyValue{&value}} }

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
		out = field(out, uint64(number)<<3, message.Field(i))
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
		return binary.AppendUvarint(binary.AppendUvarint(out, tag|varint), uint64(v))
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
