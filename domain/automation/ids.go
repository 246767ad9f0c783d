package automation

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"
)

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

// EventID is the id of the event that a job is about, a UUID of version 8 made from what every job of the event has. A
// contact is created once, so that its id says all.
func EventID(j Job) string {
	if j.Event == "" || j.Event == ContactCreated {
		j = Job{OrgID: j.OrgID, ContactID: j.ContactID, Event: ContactCreated, CreatedAt: time.Unix(0, 0)}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		j.OrgID, j.ContactID, string(j.Event), j.SubjectID, string(j.Facts), j.Detail, strconv.Itoa(j.Place),
		strconv.FormatInt(j.CreatedAt.UnixMicro(), 10),
	}, "\n")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
