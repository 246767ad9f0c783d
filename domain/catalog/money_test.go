package catalog

import "testing"

func TestMoneyAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for m, want := range map[Money][2]string{
		0: {"R$\u00a00,00", "R$\u00a00,00"}, 4500: {"R$\u00a00,45", "R$\u00a00,45"},
		1_234_5000: {"R$\u00a01.234,50", "R$\u00a01.234,50"}, 30_7150: {"R$\u00a030,72", "R$\u00a030,715"},
		30_7149: {"R$\u00a030,71", "R$\u00a030,7149"}, 2_0750: {"R$\u00a02,08", "R$\u00a02,075"},
		9_9950: {"R$\u00a010,00", "R$\u00a09,995"}, 1: {"R$\u00a00,00", "R$\u00a00,0001"},
		1_000_000_0000: {"R$\u00a01.000.000,00", "R$\u00a01.000.000,00"},
		-30_7150:       {"-R$\u00a030,72", "-R$\u00a030,715"}, -1: {"R$\u00a00,00", "-R$\u00a00,0001"},
	} {
		if m.Reais() != want[0] || m.Exact() != want[1] || m.WholeCents() != (want[0] == want[1]) {
			t.Errorf("%d: %s, exactly %s", m, m.Reais(), m.Exact())
		}
	}
}
