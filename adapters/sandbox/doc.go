// Package sandbox is three invented data bureaus, of which one is complete and one has gaps. Each answers for all
// nine products with plausible Brazilian people, companies and vehicles that do not exist. The same document always
// gives the same answer.
//
// It speaks HTTP in a format of its own, with the quirks of real bureaus that a mapping has to handle: nested
// objects, sentinels (0.0, "", -1, the year 1), keys that hold an object or a list, unrequested fields. Published
// documents (Scripts) make them misbehave: slow, silent, broken, without a record.
//
// A file of cases (Bureau.Script) defines further answers and failures by bureau and document. A ledger
// (Bureau.Doors) records each call.
//
// They run in process (Start) or behind any listener, in both cases through the same client and bureau file (File) as
// a real bureau.
package sandbox
