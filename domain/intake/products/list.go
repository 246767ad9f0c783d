package products

// All are the products, in the order in which their shapes are tried.
var All = []*Product{
	&typeform, &tally, &respondi, &jotform, &googleAds, &meta, &pubSub, &salesforce, &wix, &webflow,
	&formbricks, &netlify, &olx, &rdStation, &surveyMonkey, &fillout, &stripe, &heyForm, &hasura, &calCom,
	&calendly, &directus, &strapi, &formstack, &gravity, &fluentForms, &cognito, &linkedIn, &tikTok,
	&kommo, &bitrix24, &wooCommerce, &eduzz, &perfectPay, &pagarme, &pagBank, &kiwify, &polar,
	&ticketTailor, &woovi, &lemonSqueezy, &vtex, &ticto, &gumroad, &payhip, &wufoo, &opnForm, &sureForms,
	&olark, &whatsApp, &mautic, &n8n, &hubSpot, &thriveCart, &payt, &braip, &tilda, &notion,
}
