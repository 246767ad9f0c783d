package intake

import (
	"testing"

	"fichario/domain/intake/fields"
)

func TestBands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text                 string
		lower, middle, upper int64
	}{
		{"De R$ 4 mil a R$ 7 mil", 4000, 5500, 7000}, {"R$ 1.000 a R$ 5.000", 1000, 3000, 5000},
		{"Entre R$ 5.000 e R$ 10.000", 5000, 7500, 10000}, {"Até R$ 5 mil", 5000, 5000, 5000},
		{"Acima de R$ 20.000", 20000, 20000, 20000}, {"1000+", 1000, 1000, 1000}, {"4 a 7 mil", 4000, 5500, 7000},
		{"R$ 500 a R$ 2 mil", 500, 1250, 2000}, {"10k-20k", 10000, 15000, 20000},
		{"R$ 1.000 até R$ 3.000", 1000, 2000, 3000}, {"R$ 50 mil ou mais", 50000, 50000, 50000}, {"a combinar", 0, 0, 0},
		{"800", 800, 800, 800}, {"Entre R$ 1.000,00 - R$ 2.000,00", 1000, 1500, 2000},
	} {
		for band, want := range map[fields.Band]int64{
			fields.BandLower: c.lower, fields.BandMiddle: c.middle, fields.BandUpper: c.upper,
		} {
			d, err := Read(Options{Kind: Generic, Band: band}, "", []byte(`{"email":"a@b.c","orcamento":"`+c.text+`"}`))
			if err != nil || d.Amount != want*10000 {
				t.Errorf("%s of %q = %d, %v, want %d", band, c.text, d.Amount, err, want)
			}
			if c.text != "800" && len(d.Leftover) != 1 {
				t.Errorf("%q: the text is lost: %v", c.text, d.Leftover)
			}
		}
		if d := mustRead(t, "", `{"email":"a@b.c","orcamento":"`+c.text+`"}`); c.text != "800" && d.Amount != 0 {
			t.Errorf("%q = %d without a band", c.text, d.Amount)
		}
	}
	for _, b := range []fields.Band{fields.BandZero, fields.BandLower, fields.BandMiddle, fields.BandUpper} {
		if !b.Valid() {
			t.Error(b)
		}
	}
	if fields.Band("x").Valid() || Kind("x").Valid() || !Generic.Valid() || !FormService.Valid() {
		t.Error("Valid")
	}
}
