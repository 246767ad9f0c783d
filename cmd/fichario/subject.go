package main

type subjectCmd struct {
	Record subjectRecordCmd `cmd:"" help:"Print the record of operations of an organisation (LGPD, art. 37)."`
}
