package lookups

import (
	"gorm.io/gorm"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/lookup"
)

// completedJob is the job of an answered lookup. It has the lookup's id.
func completedJob(row LookupRow, trail automation.Trail) automations.JobRow {
	return automations.JobRow{
		ID: row.ID, OrgID: row.OrgID, Kind: string(automation.FanOut), ContactID: engine.OrNoID(row.ContactID),
		State: string(automation.Ready), RunAt: row.At, CreatedAt: row.At, Event: string(automation.LookupCompleted),
		SubjectID: &row.ID, Trail: string(trail),
	}
}

// writeCompleted writes the job of an answered lookup, where any automation listens.
func writeCompleted(w *engine.SQLiteTx, heard automations.Heard, row LookupRow, trail automation.Trail) {
	if !heard.In(w, row.OrgID, automation.LookupCompleted) {
		return
	}
	job := completedJob(row, trail)
	w.Exec(automations.InsertJob, automations.JobTable.Values(&job)...)
	w.Queued = true
}

// addCompleted writes the job of a lookup that the history answered, in its transaction. It reports whether an
// automation listens.
func addCompleted(db *gorm.DB, row LookupRow, trail automation.Trail) (yes bool, err error) {
	if row.Status != string(lookup.Done) {
		return false, nil
	}
	err = db.Raw("SELECT "+automations.Listening("?", "?"), row.OrgID, string(automation.LookupCompleted)).Scan(&yes).Error
	if err != nil || !yes {
		return false, err
	}
	job := completedJob(row, trail)
	return true, db.Create(&job).Error
}
