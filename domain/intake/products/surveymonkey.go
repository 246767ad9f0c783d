package products

// SurveyMonkey tells of a response, or sends it whole.
var surveyMonkey = Product{
	Name: "surveymonkey",
	IDs: []ID{
		{Has: "filter_id event_id", From: "event_id"},
		{Has: "id survey_id collector_id", From: "id", Late: true},
	},
}
