package automation

import "strconv"

// Derived returns the n-th id derived from a UUIDv7, always the same and with the same timestamp. With n zero it is the
// id itself.
func Derived(id string, n int) string {
	if len(id) < 4 {
		return id
	}
	head, tail := id[:len(id)-4], id[len(id)-4:]
	last, err := strconv.ParseUint(tail, 16, 16)
	if err != nil {
		return id
	}
	hex := strconv.FormatUint(uint64(uint16(last)+uint16(n)), 16)
	return head + "0000"[len(hex):] + hex
}
