package world_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"fichario/tests/testkit/patience"
)

// backend is a real connection.
type backend struct {
	file    *os.File
	fd      int
	pid     uint32
	startup []byte            // what the server said when it was opened
	status  byte              // of its transaction, by the last ReadyForQuery
	known   map[string]string // names of prepared statements, by how they are parsed
	names   int
	read    []byte // and not taken yet
	chunk   []byte
}

// connect opens a connection.
func (s *server) connect() (*backend, error) {
	conn, err := net.Dial(s.network, s.address)
	if err != nil {
		return nil, err
	}
	file, err := conn.(interface{ File() (*os.File, error) }).File() // a copy that blocks
	if err = errors.Join(err, conn.Close()); err != nil {
		return nil, err
	}
	b := &backend{file: file, fd: int(file.Fd()), known: map[string]string{}, chunk: make([]byte, 64<<10)}
	// While it reads, nobody could see that a world hangs.
	most := syscall.NsecToTimeval(patience.Scaled(time.Minute).Nanoseconds())
	if err := syscall.SetsockoptTimeval(b.fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &most); err != nil {
		return nil, err
	}
	hello := binary.BigEndian.AppendUint32(nil, 196608)
	for _, word := range []string{"user", "postgres", "database", s.database, "application_name", "fichario"} {
		hello = append(append(hello, word...), 0)
	}
	hello = append(hello, 0)
	if err := b.send(append(binary.BigEndian.AppendUint32(nil, uint32(len(hello)+4)), hello...)); err != nil {
		return nil, err
	}
	for b.status == 0 {
		message, err := b.next()
		if err != nil {
			return nil, err
		}
		switch message[0] {
		case 'E':
			return nil, fmt.Errorf("refused: %q", message[5:])
		case 'R':
			if binary.BigEndian.Uint32(message[5:]) != 0 {
				return nil, errors.New("the server asks for a password")
			}
		case 'K':
			b.pid = binary.BigEndian.Uint32(message[5:])
		}
		b.startup = append(b.startup, message...)
	}
	return b, nil
}

func (b *backend) close() { _ = b.file.Close() }

// call reads or writes. The runtime does not know of it, and runs nothing else meanwhile.
func (b *backend) call(number uintptr, bytes []byte) (int, error) {
	for {
		n, _, failed := syscall.RawSyscall(number, uintptr(b.fd), uintptr(unsafe.Pointer(&bytes[0])), uintptr(len(bytes)))
		switch failed {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, fmt.Errorf("PostgreSQL's connection: %w", failed)
		}
	}
}

// send writes a request.
func (b *backend) send(request []byte) error {
	for len(request) > 0 {
		n, err := b.call(syscall.SYS_WRITE, request)
		if err != nil {
			return err
		}
		request = request[n:]
	}
	return nil
}

// next reads a message, which is valid until the next one is read.
func (b *backend) next() ([]byte, error) {
	for {
		if len(b.read) >= 5 {
			if size := int(binary.BigEndian.Uint32(b.read[1:])) + 1; len(b.read) >= size {
				message := b.read[:size]
				if b.read = b.read[size:]; message[0] == 'Z' {
					b.status = message[5]
				}
				return message, nil
			}
		}
		n, err := b.call(syscall.SYS_READ, b.chunk)
		if err == nil && n == 0 {
			err = errLost
		}
		if err != nil {
			return nil, err
		}
		b.read = append(bytes.Clone(b.read), b.chunk[:n]...)
	}
}

// simple runs a statement, and gives the first value of its last row.
func (b *backend) simple(statement string) (value string, err error) {
	message := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(statement)+5))
	if err := b.send(append(append(message, statement...), 0)); err != nil {
		return "", err
	}
	for {
		message, failed := b.next()
		if failed != nil {
			return "", failed
		}
		switch message[0] {
		case 'Z':
			return value, err
		case 'E':
			err = fmt.Errorf("%s: %q", statement, message[5:])
		case 'D':
			if n := int32(binary.BigEndian.Uint32(message[7:])); n > 0 {
				value = string(message[11 : 11+n])
			}
		}
	}
}

// prepared gives the statements of a request names, and leaves out what parses them again: to plan them anew in each
// world took the server longer than to execute them. What is parsed for the first time is known if all goes well.
func (b *backend) prepared(request []byte) (out []byte, parsed map[string]string) {
	parsed = map[string]string{}
	var name string
	message := func(kind byte, parts ...[]byte) {
		body := bytes.Join(parts, nil)
		out = append(binary.BigEndian.AppendUint32(append(out, kind), uint32(len(body)+4)), body...)
	}
	for len(request) >= 5 {
		size := int(binary.BigEndian.Uint32(request[1:])) + 1
		kind, body := request[0], request[5:size]
		switch {
		case kind == 'Q' && bytes.HasPrefix(body, []byte("VACUUM ")):
			// After it, every connection would plan anew; SQLite's worlds leave it out, too.
			message('Q', []byte{0})
		case kind == 'P' && body[0] == 0:
			how, known := string(body), false
			if name, known = b.known[how]; !known {
				if name, known = parsed[how]; !known {
					b.names++
					name = fmt.Sprintf("s%d", b.names)
					parsed[how] = name
					message('P', []byte(name), body)
					break
				}
			}
			message('C', []byte("Snone\x00")) // what answers that is made the answer to parsing
		case kind == 'B' && name != "":
			portal, after, _ := bytes.Cut(body, []byte{0})
			message('B', portal, []byte{0}, []byte(name), after)
		default:
			out = append(out, request[:size]...)
		}
		request = request[size:]
	}
	return out, parsed
}
