// Passkeys: a form asks the browser for one before it is sent. Without script, or in a browser without passkeys, the
// forms stay hidden, and codes serve instead.
'use strict'

const known = window.PublicKeyCredential?.parseRequestOptionsFromJSON && window.PublicKeyCredential.parseCreationOptionsFromJSON

async function answer(form) {
  const begun = await fetch(form.dataset.passkey, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  if (!begun.ok) throw new Error('refused')
  const { bilhete, opcoes } = await begun.json()
  const credential = 'passkeyNew' in form.dataset
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(opcoes.publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(opcoes.publicKey) })
  form.elements.bilhete.value = bilhete
  form.elements.resposta.value = JSON.stringify(credential.toJSON())
}

for (const form of known ? document.querySelectorAll('form[data-passkey]') : []) {
  form.hidden = false
  form.querySelector('[autofocus]')?.focus() // while it was hidden, the browser could not
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    event.stopPropagation()
    const says = form.querySelector('[role=alert]')
    says.hidden = true
    try {
      await answer(form)
      form.submit()
    } catch {
      says.hidden = false
      says.textContent = 'A chave de acesso não foi usada. Tente de novo, ou use um código.'
    }
  })
}
