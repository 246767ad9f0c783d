// Package sandbox is an invented data bureau: it answers for all nine products with
// believable Brazilian people, companies and vehicles that do not exist. The same
// document always gives the same answer.
//
// It speaks HTTP in a shape of its own, with the habits of real bureaus that a
// mapping has to survive: nested objects, sentinels (0.0, "", -1, the year 1), keys
// that hold an object or a list, fields that nobody asked for. Published documents
// (Scripts) make it misbehave: slow, silent, broken, without a record.
//
// A file of cases (Bureau.Script) says what else is answered to whom, and what goes wrong.
// A ledger (Bureau.Doors) tells of each call.
//
// It runs in process (Start) or behind any listener, and in both cases through the same
// client and bureau file (File) as a real bureau.
package sandbox
