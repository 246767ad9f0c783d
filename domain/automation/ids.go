package automation

import "strconv"

// Derived returns the n-th id that belongs to a UUIDv7: of the same moment, and the same whenever it is asked for. The
// id itself is the one with n zero.
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
