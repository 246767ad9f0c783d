// Package sandbox is an invented data bureau: it answers for all nine products with plausible Brazilian people,
// companies and vehicles that do not exist. The same document always gets the same answer.
//
// It speaks HTTP in a format of its own, with the habits of real bureaus that a mapping must cope with: nested
// objects, sentinels (0.0, "", -1, the year 1), keys with either an object or a list, fields that nobody asked for.
// Published documents (Scripts) make it misbehave: slow, silent, broken, without a record.
//
// A file of cases (Bureau.Script) defines other answers and failures. A ledger (Bureau.Doors) lists every call.
//
// It runs in process (Start) or behind any listener, in both cases through the same client and bureau file (File) as
// a real bureau.
package sandbox
