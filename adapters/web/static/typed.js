// Unsent input stays in the tab until it is sent or the user signs out, so that it survives a failure, the end of a
// session and a reload. Never secrets, nor immediate questions and actions (data-passing), whose documents would stay
// too. A draft belongs to the address that its form posts to, and to what the form is about where several post there
// (data-about). Without script the error page shows what was posted.
'use strict'
{
  const member = document.body.dataset.member || ''
  const begin = 'escrito:', mine = begin + member + ':'
  const store = {
    all: () => Object.keys(sessionStorage).filter((key) => key.startsWith(begin)),
    drop: (key) => sessionStorage.removeItem(key),
    get: (key) => JSON.parse(sessionStorage.getItem(key) || '{}'),
    set: (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)) } catch { /* storage is full */ } },
  }
  const pathOf = (form) => new URL(form.getAttribute('action') || location.pathname, location.href).pathname
  const keyOf = (form) => mine + pathOf(form) + (form.dataset.about ? '#' + form.dataset.about : '')
  const ofForm = (form) => form && form.method === 'post' && member && !('passing' in form.dataset) &&
    !/^\/(sair|conta\/)/.test(pathOf(form))
  const secret = (e) => e.type === 'password' || /^(senha|atual|token|segredo(\..*)?)$/.test(e.name)
  const keeps = (e) => e.name && !secret(e) && !['hidden', 'file', 'submit', 'button'].includes(e.type)
  const ticked = (e) => e.type === 'checkbox' || e.type === 'radio'
  const valueOf = (e) => ticked(e) ? e.checked : e.value
  const plainOf = (e) => ticked(e) ? e.defaultChecked
    : e.options ? ([...e.options].find((o) => o.defaultSelected) || e.options[0])?.value ?? '' : e.defaultValue
  // Fields with the same name are distinguished by order, and checkboxes by value.
  const nameOf = (form, e) => e.name + '|' + (ticked(e) ? e.value
    : [...form.elements].filter((o) => o.name === e.name).indexOf(e))

  const forget = () => { for (const key of store.all()) store.drop(key) }
  const leaving = typeof BroadcastChannel === 'function' && new BroadcastChannel('sair')
  if (leaving) leaving.onmessage = forget
  document.addEventListener('submit', ({ target: form }) => {
    if (form.dataset.about && sessionStorage.getItem(keyOf(form))) {
      store.set(keyOf(form), { ...store.get(keyOf(form)), sent: true })
    }
    if (!/^\/sair/.test(pathOf(form))) return
    forget()
    if (leaving) leaving.postMessage('')
  })

  if (member) {
    const address = document.body.dataset.sent
    for (const key of store.all()) {
      const [at, about] = key.slice(mine.length).split('#')
      const accepted = at === address && (!about || store.get(key).sent)
      if (!key.startsWith(mine) || accepted) store.drop(key)
    }
    for (const form of document.forms) if (ofForm(form)) bring(form)
  }

  // bring restores typed input, unless the page's own value has changed since.
  function bring(form) {
    const kept = store.get(keyOf(form)).fields
    if (!kept) return
    let back = null
    for (const e of form.elements) {
      const was = keeps(e) && kept[nameOf(form, e)]
      if (!was || was.plain !== plainOf(e) || was.value === valueOf(e)) continue
      if (ticked(e)) e.checked = was.value
      else e.value = was.value
      back = e
    }
    if (!back) return
    back.closest('details')?.setAttribute('open', '')
    back.dispatchEvent(new Event('input', { bubbles: true }))
    const said = document.createElement('p'), undo = document.createElement('button')
    Object.assign(said, { className: 'hint', textContent: 'O que você escreveu e não enviou está de volta. ' })
    said.setAttribute('role', 'status')
    Object.assign(undo, { type: 'button', className: 'btn btn-q btn-s', textContent: 'Descartar' })
    undo.onclick = () => { store.drop(keyOf(form)); form.reset(); said.remove() }
    said.append(undo)
    const field = back.closest('.join') || back.closest('.field, .stack') || form
    field.after(said)
  }

  document.addEventListener('input', keep)
  document.addEventListener('change', keep)
  function keep(event) {
    const form = event.target.form
    if (!ofForm(form) || !keeps(event.target) || event.target.closest('dialog')) return
    const fields = {}
    for (const e of form.elements) {
      const value = keeps(e) && valueOf(e), plain = keeps(e) && plainOf(e)
      if (keeps(e) && value !== plain) fields[nameOf(form, e)] = { value, plain }
    }
    if (Object.keys(fields).length) store.set(keyOf(form), { fields })
    else store.drop(keyOf(form))
  }
}
