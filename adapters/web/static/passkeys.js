// Passkeys: a form asks the browser for one before it is sent (data-passkey), or instead of a code that it asks for
// (data-proof). Without script, or in a browser without passkeys, both stay hidden, and codes serve instead.
'use strict'
{
  const keys = window.PublicKeyCredential
  const known = keys?.parseRequestOptionsFromJSON && keys.parseCreationOptionsFromJSON

  // show shows them, also those of a question that was asked later.
  function show() {
    for (const hidden of document.querySelectorAll('form[data-passkey][hidden], [data-proof][hidden]')) {
      hidden.hidden = false
      hidden.querySelector('[autofocus]')?.focus() // while it was hidden, the browser could not
    }
  }

  async function begin(address, body) {
    const answer = await fetch(address, { method: 'POST', body })
    if (!answer.ok) throw Object.assign(new Error('refused'), { page: await answer.text() })
    const { bilhete, opcoes } = await answer.json()
    return { bilhete, options: opcoes.publicKey }
  }

  const use = (options) => navigator.credentials.get({ publicKey: keys.parseRequestOptionsFromJSON(options) })
  const fields = (form) => new URLSearchParams(new FormData(form))

  // make makes a passkey. What was begun for it stays for another attempt, because it took a code: but not until it
  // ends, or the device would keep a key that is refused.
  const kept = new WeakMap()
  async function make(form) {
    const name = form.elements.nome.value
    let begun = kept.get(form)
    if (begun?.name !== name || begun.until - Date.now() < 60e3) {
      begun = { ...await begin(form.dataset.passkey, fields(form)), name, until: Date.now() + 270e3 }
      kept.set(form, begun)
      form.elements.nome.readOnly = true // another one would take another proof
      for (const field of form.querySelectorAll('[data-instead], [name^="prova-"]')) field.value = ''
      for (const field of form.querySelectorAll('[data-instead]')) field.required = false
    }
    const publicKey = keys.parseCreationOptionsFromJSON(begun.options)
    const signal = AbortSignal.timeout(begun.until - Date.now())
    return [begun.bilhete, await navigator.credentials.create({ publicKey, signal })]
  }

  async function signIn(form) {
    const { bilhete, options } = await begin(form.dataset.passkey, fields(form))
    return [bilhete, await use(options)]
  }

  // refused shows the form as the service sent it back, or else says beside it that it did not work.
  function refused(form, says, page) {
    const same = `form[data-passkey="${form.dataset.passkey}"]`
    const again = page && new DOMParser().parseFromString(page, 'text/html').querySelector(same)
    if (again) {
      form.replaceWith(document.adoptNode(again))
      return show()
    }
    says.hidden = false
    says.textContent = 'A chave de acesso não foi usada. Tente de novo, ou use um código.'
  }

  if (known) {
    show()
    new MutationObserver(show).observe(document.querySelector('main'), { childList: true })
    // Before what else is done when a form is sent, because it is not sent yet.
    document.addEventListener('submit', async (event) => {
      const form = event.target
      if (!form.matches('form[data-passkey]')) return
      event.preventDefault()
      event.stopPropagation()
      if (form.dataset.asking) return // a second proof would be refused, and this one's key be nobody's
      form.dataset.asking = ''
      const says = form.querySelector('[data-says]')
      says.hidden = true
      try {
        const [bilhete, credential] = await ('passkeyNew' in form.dataset ? make(form) : signIn(form))
        form.elements.bilhete.value = bilhete
        form.elements.resposta.value = JSON.stringify(credential.toJSON())
        form.submit()
      } catch ({ page }) {
        refused(form, says, page)
      } finally {
        delete form.dataset.asking
      }
    }, true)
    document.addEventListener('click', async ({ target }) => {
      const button = target.closest('[data-proof]')
      if (!button || button.disabled) return
      const form = button.form, field = button.closest('.field')
      const code = field.querySelector('[data-instead]'), says = field.querySelector('[data-says]')
      says.hidden = button.disabled = true
      code.required = false
      try {
        if (!form.reportValidity()) return
        const { bilhete, options } = await begin(button.dataset.proof)
        const answer = await use(options)
        form.elements['prova-bilhete'].value = bilhete
        form.elements['prova-resposta'].value = JSON.stringify(answer.toJSON())
        code.value = ''
        form.requestSubmit()
      } catch {
        refused(form, says)
      } finally {
        code.required = true
        button.disabled = false
        if (document.activeElement === document.body) button.focus() // where it was
      }
    })
  }
}
