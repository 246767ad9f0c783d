// Package noon has the time zone in which it is noon now, so that no day ends while a test counts what belongs to one.
package noon

import (
	"fmt"
	"sync"
	"time"
)

// Zone is a time zone of whole hours where the tests of this process began between noon and one o'clock, on UTC's date.
// The clock is the machine's: only where a day begins is moved.
var Zone = sync.OnceValue(func() *time.Location {
	l, err := time.LoadLocation(name(time.Now().UTC().Hour()))
	if err != nil {
		panic(err)
	}
	return l
})

// name is how the zone of an hour of UTC is called; the sign in such names says how far UTC is ahead.
func name(hour int) string { return fmt.Sprintf("Etc/GMT%+d", hour-12) }
