// Package meta asks Meta's Graph API for the leads of instant forms (Lead Ads). It implements ports.LeadSource.
//
// Written from Meta's pages "Webhooks for Leads", "Retrieving Leads", "Handling Errors", "Rate Limits", "Securing
// Graph API Calls" and the reference of the nodes Page, LeadgenForm and Lead, and from which fields and edges the
// open clients facebook/facebook-python-business-sdk and facebook/facebook-nodejs-business-sdk name. It has not been
// tried on Meta's own servers: sandbox.Meta stands in for them.
package meta
