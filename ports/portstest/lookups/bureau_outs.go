package lookups

import (
	"testing"
	"time"

	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// bureausOutTwice: what a person says takes the place of what one said before; of a bureau without credit it only makes
// the time longer.
func bureausOutTwice(t *testing.T, s ports.Store) {
	ctx, repo, now := t.Context(), s.Repos().Bureaus, kit.At
	soon, late := now.Add(time.Hour), now.Add(9*time.Hour)
	said := func(until time.Time) ports.BureauOut { return ports.BureauOut{Until: until} }
	exhausted := func(until time.Time) ports.BureauOut { return ports.BureauOut{Exhausted: true, Until: until} }
	var always time.Time
	for _, c := range []struct{ first, second, is ports.BureauOut }{
		{said(late), said(soon), said(soon)},
		{said(always), said(soon), said(soon)},
		{said(soon), said(always), said(always)},
		{exhausted(late), said(soon), exhausted(late)},
		{exhausted(soon), said(late), exhausted(late)},
		{exhausted(always), said(soon), exhausted(always)},
		{exhausted(soon), said(always), exhausted(always)},
	} {
		name := "c" + kit.ID()
		c.first.Name, c.second.Name, c.is.Name = name, name, name
		for i, o := range []ports.BureauOut{c.first, c.second} {
			first, err := repo.TakeOut(ctx, o, now)
			kit.Must(t, err)
			kit.Same(t, "was asked until now", first, i == 0)
		}
		settings, err := repo.Settings(ctx)
		kit.Must(t, err)
		for _, o := range settings.Outs {
			if o.Name == name {
				kit.Same(t, "out", o, c.is)
			}
		}
		_, err = repo.Back(ctx, name, now)
		kit.Must(t, err)
	}
}
