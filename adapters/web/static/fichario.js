// What the pages do with script. Each of it only adds comfort: without script the same forms and links do the same.
'use strict'

// Copying: a button beside a text that stands in data-copy, or in the element with that id.
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  const source = document.getElementById(button.dataset.copy)
  try {
    await navigator.clipboard.writeText(source.dataset.text || source.textContent.trim())
    if (button.dataset.copied) return // it says so
    button.dataset.copied = 'yes'
    const before = button.innerHTML
    button.textContent = 'Copiado'
    setTimeout(() => { button.innerHTML = before; delete button.dataset.copied }, 2000)
  } catch {
    getSelection().selectAllChildren(source)
  }
})

// The field of the search screen is marked wrong while the words below it say so.
const verdict = document.getElementById('documento-p')
if (verdict) {
  new MutationObserver(() => {
    document.getElementById('documento').setAttribute('aria-invalid', String(verdict.querySelector('.err') !== null))
  }).observe(verdict, { childList: true, subtree: true })
}

// Copying what a file holds, byte for byte, and printing: buttons that only script can serve.
for (const button of document.querySelectorAll('[data-copy-url], [data-print]')) button.hidden = false
document.addEventListener('click', async (event) => {
  if (event.target.closest('[data-print]')) print()
  const button = event.target.closest('[data-copy-url]')
  if (!button) return
  try {
    // A promise in the item, because some browsers allow copying only at once after the click.
    const content = fetch(button.dataset.copyUrl).then((answer) => answer.text()).then((text) => new Blob([text], { type: 'text/plain' }))
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': content })])
    button.lastChild.textContent = 'Copiado'
    setTimeout(() => { button.lastChild.textContent = 'Copiar' }, 2000)
  } catch {
    location.href = button.dataset.copyUrl // a file to copy from
  }
})

// A form that sends itself when one of its fields changes, where it says so. Arrows walk through a list: what is chosen
// with them counts when they rest, and the list has the focus again on the page that follows, as has what was switched
// by keyboard.
let walking = null, walkedOn = null
document.addEventListener('keydown', (event) => {
  if (event.target.matches('form[data-auto] :is(select, .switch)')) walkedOn = event.target
})
document.addEventListener('pointerdown', () => { walkedOn = null })
document.addEventListener('change', (event) => {
  const field = event.target, form = field.closest('form[data-auto]')
  if (!form) return
  clearTimeout(walking)
  if (walkedOn !== field) return void form.requestSubmit()
  walking = setTimeout(() => {
    if (field.id) sessionStorage.setItem('foco', location.pathname + '#' + field.id)
    form.requestSubmit()
  }, 900)
})
// What is changed in passing, or undone, leaves the page where it is.
document.addEventListener('submit', ({ target: form }) => {
  if (!form.matches('[data-auto], [data-quick], .toast form')) return
  sessionStorage.setItem('lugar', JSON.stringify({ at: location.pathname + location.search, y: scrollY }))
})
const place = JSON.parse(sessionStorage.getItem('lugar') || 'null')
sessionStorage.removeItem('lugar')
if (place?.at === location.pathname + location.search && !location.hash) scrollTo(0, place.y)
const left = (sessionStorage.getItem('foco') || '').split('#')
sessionStorage.removeItem('foco')
if (left[0] === location.pathname) document.getElementById(left[1])?.focus()

// Ctrl+Enter sends what is written, where a form says so.
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  const form = event.target.closest('form[data-quick]')
  if (form) form.requestSubmit()
})

// A notice goes by itself; one that can be undone stays longer, and for as long as somebody is at it.
for (const toast of document.querySelectorAll('.toast')) {
  const go = () => { if (toast.matches(':hover, :focus-within')) setTimeout(go, 2000); else toast.remove() }
  setTimeout(go, toast.querySelector('form') ? 20000 : 8000)
}

// What spends or destroys asks first: the page that asks without script is read, and its question shown above this one.
async function ask(opener, address, request) {
  if (opener.dataset.asking) return
  opener.dataset.asking = 'yes'
  try {
    const answer = await fetch(address, request)
    const dialog = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main dialog')
    const cancel = document.createElement('button')
    const leave = dialog.querySelector('[data-close]')
    Object.assign(cancel, { type: 'button', className: leave.className, textContent: leave.textContent, onclick: () => dialog.close() })
    cancel.toggleAttribute('autofocus', leave.hasAttribute('autofocus'))
    leave.replaceWith(cancel)
    dialog.removeAttribute('open')
    opener.closest('main').append(document.adoptNode(dialog))
    dialog.addEventListener('close', () => dialog.remove())
    if (!opener.contains(document.activeElement)) (opener.querySelector('button') || opener).focus() // it gets the focus back
    dialog.showModal()
  } catch { // signed out, or no network: the browser says so itself
    if (opener.href) location.href = opener.href
    else opener.submit()
  } finally {
    delete opener.dataset.asking
  }
}
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-ask]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !HTMLDialogElement.prototype.showModal) return
  event.preventDefault()
  ask(link, link.href)
})

// Tab stays inside a question.
document.addEventListener('keydown', (event) => {
  const dialog = event.key === 'Tab' && document.querySelector('dialog:modal')
  if (!dialog) return
  const stops = [...dialog.querySelectorAll('a[href], button, input, select, textarea')]
    .filter((e) => !e.disabled && e.type !== 'hidden' && e.checkVisibility())
  const end = event.shiftKey ? stops.at(0) : stops.at(-1), other = event.shiftKey ? stops.at(-1) : stops.at(0)
  if (dialog.contains(document.activeElement) && document.activeElement !== end) return
  event.preventDefault()
  other?.focus()
})

// What a page asks again and again keeps nobody's session alive.
document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
  if (ctx.sourceEvent?.type === 'every') ctx.request.headers['X-Unattended'] = 'true'
})

// What somebody asked for in place and did not get is said beside it, in the service's words where it sent any, until he
// asks again. What asks by itself keeps what it shows, and asks again.
let refused = null
document.addEventListener('htmx:before:request', ({ detail: { ctx } }) => { if (ctx.request.method === 'POST') refused?.remove() })
for (const failure of ['htmx:response:error', 'htmx:error']) document.addEventListener(failure, ({ detail: { ctx } }) => {
  if (ctx?.request.method !== 'POST') return
  refused?.remove()
  refused = new DOMParser().parseFromString(ctx.text || '', 'text/html').querySelector('[data-refused]')
  if (!refused) {
    refused = document.createElement('p')
    refused.className = 'asked-line err'
    refused.setAttribute('role', 'alert')
    refused.textContent = 'O Fichário não respondeu. O pedido pode ter chegado: antes de repetir, recarregue a página e veja.'
  }
  if (ctx.target === ctx.sourceElement) ctx.target.after(refused)
  else ctx.target.prepend(refused)
})

// A form is sent once, but for a download, after which the page is still there.
document.addEventListener('submit', (event) => {
  const form = event.target
  if ('ask' in form.dataset) {
    event.preventDefault()
    ask(form, form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  } else if (form.dataset.sent) event.preventDefault()
  else if (form.method === 'post' && !form.hasAttribute('hx-post') && !event.submitter?.matches('[data-download]')) {
    form.dataset.sent = 'yes'
  }
})
addEventListener('pageshow', () => { for (const form of document.forms) delete form.dataset.sent })

// A page that the browser brings back is as old as it was left, and may be somebody's who has signed out: it is not seen
// until it has been read again.
addEventListener('pagehide', (event) => { if (event.persisted) document.documentElement.classList.add('left') })
addEventListener('pageshow', (event) => { if (event.persisted) location.reload() })

// What is done to marked contacts needs one that is marked: where none is, that is said where one marks them.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.id !== 'acoes' || form.elements.todos.value || boxesOf(form).some((box) => box.checked)) return
  event.preventDefault()
  delete form.dataset.sent
  form.querySelector('.err')?.remove()
  const said = document.createElement('p')
  Object.assign(said, { className: 'err', textContent: 'Marque ao menos um contato.' })
  said.setAttribute('role', 'alert')
  form.querySelector('fieldset').after(said)
})

// Marking all contacts of a page, or none where all of them are.
const boxesOf = (form) => [...document.querySelectorAll(`input[name=c][form=${form.id}]`)]
const onlyMarked = (form) => {
  form.querySelector('[name=todos][value=""]').checked = true
  form.querySelector('.err')?.remove()
}
document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-mark]')
  if (!button) return
  const boxes = boxesOf(button.form)
  const all = boxes.every((box) => box.checked)
  for (const box of boxes) box.checked = !all
  onlyMarked(button.form)
})
// Who marks one means what is marked; who chooses all that the filter finds means no marks.
document.addEventListener('change', (event) => {
  const field = event.target
  if (field.matches('#acoes [name=todos][value=sim]')) for (const box of boxesOf(field.form)) box.checked = false
  else if (field.matches('[name=c][form=acoes]')) onlyMarked(field.form)
})
