// Package privacy holds the commands of purposes, data subjects and the audit.
package privacy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"fichario/adapters/download"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	privacyapp "fichario/app/privacy"
	"fichario/cmd/fichario/command"
	"fichario/domain/privacy"
)

// Subject holds the commands of data subjects.
type Subject struct {
	Record   subjectRecordCmd   `cmd:"" help:"Print the record of operations of an organisation (LGPD, art. 37)."`
	Export   subjectExportCmd   `cmd:"" help:"Write everything that is held about a person as JSON."`
	Erase    subjectEraseCmd    `cmd:"" help:"Erase everything that is held about a person; statement entries stay, without the document."`
	Unblock  subjectUnblockCmd  `cmd:"" help:"Allow lookups of a person who was erased with --block."`
	Erasures subjectErasuresCmd `cmd:"" help:"List erasures with their receipts."`
	Replay   subjectReplayCmd   `cmd:"" name:"replay-erasures" help:"Repeat the erasures in the journal that a restored database lacks."`
}

// subjectFlags say which person a command is about.
type subjectFlags struct {
	Org      string `required:"" help:"Id of the organisation."`
	Document string `xor:"who" required:"" help:"CPF, CNPJ or plate of the person."`
	Email    string `xor:"who" required:"" help:"E-mail address of the person."`
	Phone    string `xor:"who" required:"" help:"Phone number of the person; without a country code, a Brazilian one."`
}

func (f subjectFlags) query() privacyapp.SubjectQuery {
	return privacyapp.SubjectQuery{OrgID: f.Org, Document: f.Document, Email: f.Email, Phone: f.Phone}
}

// withSubjects runs a command on data subjects' rights.
func withSubjects(e *command.Environment, f func(*privacyapp.Subjects) error) error {
	return e.WithStore(func(store *gormstore.Store) error { return f(SubjectsOf(e, store)) })
}

// SubjectsOf is the use case of data subjects, with the journal of erasures.
func SubjectsOf(e *command.Environment, store *gormstore.Store) *privacyapp.Subjects {
	return privacyapp.NewSubjects(store, store, JournalOf(e), command.Now,
		contacts.New(store, command.Now).PartToErase)
}

type subjectExportCmd struct {
	subjectFlags
}

// Run writes everything that is held of a person.
func (c *subjectExportCmd) Run(e *command.Environment) error {
	return withSubjects(e, func(subjects *privacyapp.Subjects) error {
		x, err := subjects.Export(e.Ctx, app.Operator(), c.query())
		if err != nil {
			return err
		}
		out := bufio.NewWriter(e.Out)
		return errors.Join(download.Subject(e.Ctx, out, x), out.Flush())
	})
}

type subjectEraseCmd struct {
	subjectFlags
	DryRun bool `help:"Only show what would be erased."`
	Block  bool `help:"Also block lookups of the person by the organisation."`
}

// Run erases a person, and waits for completion.
func (c *subjectEraseCmd) Run(e *command.Environment) error {
	return withSubjects(e, func(subjects *privacyapp.Subjects) error {
		if c.DryRun {
			held, err := subjects.Count(e.Ctx, app.Operator(), c.query(), 0)
			if err != nil {
				return err
			}
			return e.Print(struct {
				Simulacao bool           `json:"simulacao"`
				Apagaria  privacy.Counts `json:"apagaria"`
				Bloqueado bool           `json:"bloqueado"`
				Fica      []string       `json:"fica"`
			}{true, download.WithoutNone(held.Counts), held.Blocked, download.Stays},
				"%s\nNothing was changed.\n", countsText(held.Counts))
		}
		if err := JournalOf(e).Check(); err != nil {
			return err
		}
		erasure, err := subjects.Erase(e.Ctx, app.Operator(), c.query(), c.Block)
		if err != nil {
			return err
		}
		if erasure, err = subjects.Await(e.Ctx, erasure.ID); err != nil {
			return err
		}
		return printErasures(e, erasure)
	})
}

func printErasures(e *command.Environment, erasure privacy.Erasure) error {
	return e.Print(download.Receipt(erasure), "%s", ReceiptText(erasure))
}

// ReceiptText is the receipt of an erasure for people.
func ReceiptText(erasure privacy.Erasure) string {
	ended := "in progress"
	if !erasure.EndsAt.IsZero() {
		ended = "done " + erasure.EndsAt.Format(time.DateTime)
	}
	text := fmt.Sprintf("%s  %s  asked by %s, %s\n%s", erasure.ID, erasure.At.Format(time.DateTime), erasure.AskedBy, ended,
		countsText(erasure.Gone))
	for _, told := range erasure.Told {
		text += fmt.Sprintf("  Passed on to %s, %s\n", told.To, told.At.Format(time.DateTime))
	}
	if !erasure.EndsAt.IsZero() && !erasure.Journalled {
		text += "  In no journal: restoring an older backup brings the person back (FICHARIO_ERASURE_JOURNAL).\n"
	}
	return text
}

func countsText(counts privacy.Counts) string {
	var text strings.Builder
	for _, k := range append(privacy.Kinds(), privacy.Answers, privacy.Happenings, privacy.Runs) {
		if counts[k] > 0 {
			fmt.Fprintf(&text, "  %6d  %s\n", counts[k], k)
		}
	}
	return text.String()
}

type subjectUnblockCmd struct {
	subjectFlags
}

// Run lifts the block on a person.
func (c *subjectUnblockCmd) Run(e *command.Environment) error {
	return withSubjects(e, func(subjects *privacyapp.Subjects) error {
		if err := subjects.Unblock(e.Ctx, app.Operator(), c.query()); err != nil {
			return err
		}
		return e.Print(map[string]bool{"bloqueado": false}, "The person can be looked up again.\n")
	})
}

type subjectErasuresCmd struct {
	Org     string `required:"" help:"Id of the organisation."`
	Journal bool   `help:"Print the lines of the journal instead, for replay-erasures."`
}

// Run lists erasures.
func (c *subjectErasuresCmd) Run(e *command.Environment) error {
	if c.Journal && e.JSON {
		return errors.New("--journal and --json ask for two formats: use one of them")
	}
	return withSubjects(e, func(subjects *privacyapp.Subjects) error {
		all, err := subjects.AllErasures(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		if c.Journal {
			return writeJournal(e.Out, all)
		}
		return command.PrintList(e, all, download.Receipt, ReceiptText)
	})
}

type subjectReplayCmd struct {
	Org  string `help:"Id of the organisation. Default: all."`
	From string `help:"The journal, or - for standard input. Default: FICHARIO_ERASURE_JOURNAL, or the file beside the SQLite database."`
}

// Run repeats erasures.
func (c *subjectReplayCmd) Run(e *command.Environment) error {
	in, err := c.open(e)
	if err != nil {
		return fmt.Errorf("the journal of erasures: %w", err)
	}
	defer func() { _ = in.Close() }()
	journal, err := readJournal(in)
	if err != nil {
		return err
	}
	return withSubjects(e, func(subjects *privacyapp.Subjects) error {
		done, err := subjects.Replay(e.Ctx, app.Operator(), c.Org, journal.entries)
		if err != nil {
			return err
		}
		err = e.Print(map[string]int{
			"refeitas": done.Again, "jaFeitas": done.Known, "esperam": done.Waiting, "ilegiveis": journal.unread,
			"semOrganizacao": done.Unknown, "deOutraChave": done.Foreign,
		}, "%d erasures repeated, %d already present, %d of organisations that are not in this database.\n",
			done.Again, done.Known, done.Unknown)
		if done.Waiting > 0 {
			fmt.Fprintf(e.ErrOut, "fichario: %d erasures wait for a lookup that its bureau answers later; the service completes "+
				"them\n", done.Waiting)
		}
		if journal.cut {
			fmt.Fprintln(e.ErrOut, "fichario: the last line of the journal is cut off: a crash can do this before "+
				"its erasure begins; if the file was copied, copy it again")
		}
		return errors.Join(err, notRepeated("that cannot be read", journal.unread),
			notRepeated("with hashes by another key, as of another database", done.Foreign))
	})
}

// notRepeated is the error of lines of the journal that say nothing to this database.
func notRepeated(which string, n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("lines of the journal %s: %d; their erasures are not repeated", which, n)
}

// open opens the journal. Beside a SQLite database it is missing where nobody was ever erased; one that was named must
// exist.
func (c *subjectReplayCmd) open(e *command.Environment) (io.ReadCloser, error) {
	if c.From == "-" {
		return io.NopCloser(e.In), nil
	}
	journal := JournalOf(e)
	if c.From != "" {
		journal = Journal{Path: c.From}
	}
	if journal.Path == "" {
		return nil, errors.New("there is no journal: set FICHARIO_ERASURE_JOURNAL, or give --from")
	}
	file, err := os.Open(journal.Path)
	if journal.beside != "" && errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(e.ErrOut, "fichario: there is no journal of erasures at %s: correct if nobody was ever erased; "+
			"otherwise put it back and run this again\n", journal.Path)
		return io.NopCloser(strings.NewReader("")), nil
	}
	return file, err
}
