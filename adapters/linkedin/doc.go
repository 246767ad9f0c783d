// Package linkedin asks LinkedIn's Lead Sync API for the leads of the forms of advertisements. It implements
// ports.LeadSource; a page is an advertising account.
//
// Written from LinkedIn's pages "Lead Sync", "LeadSync Usecases", "Webhooks" (the challenge and X-LI-Signature), "Ad
// Accounts" and "Error Handling", and from their collection of sample calls. It has not been tried on LinkedIn's own
// servers, which open this API only to programs that they have approved: sandbox.LinkedIn stands in for them. LinkedIn
// tells when a token ends only to who has the app's client id, too, so that a team is told of a dead token, and not
// before.
package linkedin
