package webhook

import "fichario/domain/crm"

// Hook is a webhook with the data that handling a post needs.
type Hook struct {
	Webhook
	// Funnel is the name of the organisation's default funnel, Entry its entry stage.
	Funnel string
	Entry  crm.Stage
	// Members are the active members of the organisation.
	Members []crm.Member
	Origins []crm.Origin
	// Rotation is the one that RotationID names.
	Rotation crm.Rotation
}
