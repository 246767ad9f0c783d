package gormstore_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
)

// TestAServedFileIsNotMigrated: a service of the version before would write rows without what triggers did for it, so
// that no command changes the schema below it.
func TestAServedFileIsNotMigrated(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/served.db"
	migrate := func() error {
		s, err := gormstore.Open("sqlite://"+path, [][]byte{testKey})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		return s.Migrate(t.Context())
	}
	if err := migrate(); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX) // as another process
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(); err != nil {
		t.Errorf("a command beside a service of its own version: %v", err)
	}
	s := open(t, "sqlite://"+path)
	undo := "DELETE FROM goose_db_version WHERE version_id = 116; DROP INDEX contacts_waiting_in"
	if err := s.Writer.Exec(undo).Error; err != nil {
		t.Fatal(err)
	}
	if err := migrate(); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("a command beside a service of an earlier version: %v", err)
	}
	_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN) // also for processes that have begun with it meanwhile
	_ = lock.Close()
	release, err := engine.Alone("sqlite://" + path) // a service of this version
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := migrate(); err != nil {
		t.Errorf("the service itself: %v", err)
	}
}

// TestASecondServiceOnALinkToANewFile is refused, though the file at the link's end was made only by the first: a
// second one would end the first one's calls in flight as if their service had died.
func TestASecondServiceOnALinkToANewFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	err := errors.Join(os.MkdirAll(folder+"/a/disk", 0o700), os.Symlink("a/disk", folder+"/inside"),
		os.Symlink("../new.db", folder+"/a/disk/next.db"), os.Symlink("inside/next.db", folder+"/f.db"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := engine.Alone("sqlite://" + folder + "/f.db")
	if err != nil {
		t.Fatal(err)
	}
	defer first()
	if err := os.WriteFile(folder+"/a/new.db", nil, 0o600); err != nil { // as the first service does
		t.Fatal(err)
	}
	for _, name := range []string{"/f.db", "/inside/next.db", "/inside/../new.db", "/a/new.db"} {
		second, err := engine.Alone("sqlite://" + folder + name)
		if err == nil {
			second()
			t.Errorf("a second service serves %s", name)
		}
	}
}
