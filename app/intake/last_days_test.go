package intake

import (
	"maps"
	"slices"
	"testing"

	"fichario/domain/intake"
	"fichario/domain/webhook"
)

func TestTheLastDaysOfWebhooks(t *testing.T) {
	t.Parallel()
	hook := func(id string, kind intake.Kind) webhook.Webhook {
		return webhook.Webhook{ID: id, Options: intake.Options{Kind: kind}}
	}
	hooks := []webhook.Webhook{
		hook("form", intake.Generic), hook("form too", intake.Generic), hook("silent", intake.Generic),
		hook("ads", intake.Meta), hook("silent ads", intake.Meta),
	}
	days := map[string][]webhook.Summary{
		"form":       {{Accepted: 1}, {Refused: 2}, {}, {}},
		"form too":   {{}, {Repeated: 1}, {}, {}},
		"ads":        {{}, {}, {Accepted: 1, Refused: 1}, {}},
		"of another": {{}, {}, {}, {Accepted: 1}},
	}
	for outcome, want := range map[webhook.Outcome]map[daySpan][]string{
		"":               {{1, 2}: {"form", "form too"}, {2, 4}: {"ads"}, {0, 4}: {"silent ads"}},
		webhook.Refused:  {{1, 2}: {"form"}, {2, 3}: {"ads"}},
		webhook.Accepted: {{0, 1}: {"form"}, {2, 3}: {"ads"}},
		webhook.Repeated: {{1, 2}: {"form too"}},
	} {
		if got := lastDays(hooks, outcome, 4, days); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %v, not %v", outcome, got, want)
		}
	}
}
