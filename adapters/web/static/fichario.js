// Script for the pages. All of it only adds comfort: without script the same forms and links do the same.
'use strict'

// A line of tabs that scrolls shows the open one.
const lines = '.tabs, .seg-line, .set-n ul'
for (const open of document.querySelectorAll(`:is(${lines}) [aria-current]`)) {
  const line = open.closest(lines)
  line.scrollLeft = open.offsetLeft - line.offsetLeft - (line.clientWidth - open.offsetWidth) / 2
}

// What is typed first has the focus in a form that somebody opens.
document.addEventListener('click', ({ target }) => {
  const fold = target.closest('details:is(.more, .set-new) > summary')?.parentElement
  fold?.addEventListener('toggle', () => { if (fold.open) fold.querySelector(':scope > form .in')?.focus() }, { once: true })
})

// Copying: a button copies the text in data-copy, or in the element with that id.
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  const source = document.getElementById(button.dataset.copy)
  try {
    await navigator.clipboard.writeText(source.textContent.trim())
    if (button.dataset.copied) return // already shown
    button.dataset.copied = 'yes'
    const before = button.innerHTML
    button.textContent = 'Copiado'
    setTimeout(() => { button.innerHTML = before; delete button.dataset.copied }, 2000)
  } catch {
    getSelection().selectAllChildren(source)
  }
})

// The search field is marked invalid while the text below it says so.
const verdict = document.getElementById('documento-p')
if (verdict) {
  new MutationObserver(() => {
    document.getElementById('documento').setAttribute('aria-invalid', String(verdict.querySelector('.err') !== null))
  }).observe(verdict, { childList: true, subtree: true })
}

// Copying a file byte for byte, and printing.
document.addEventListener('click', async (event) => {
  if (event.target.closest('[data-print]')) print()
  const button = event.target.closest('[data-copy-url]')
  if (!button) return
  try {
    // A promise in the item, because some browsers allow copying only directly after the click.
    const content = fetch(button.dataset.copyUrl).then((answer) => answer.text()).then((text) => new Blob([text], { type: 'text/plain' }))
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': content })])
    button.lastChild.textContent = 'Copiado'
    setTimeout(() => { button.lastChild.textContent = 'Copiar' }, 2000)
  } catch {
    location.href = button.dataset.copyUrl // a file to copy from
  }
})

// Forms marked so submit themselves when a field changes. A choice made with the arrow keys counts once they rest, and
// the list has the focus again on the next page, as does anything switched by keyboard.
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
// Quick changes and undo keep the scroll position, and what was written keeps the focus where more may be written.
document.addEventListener('submit', ({ target: form }) => {
  if (!form.matches('[data-auto], [data-quick], .toast form')) return
  sessionStorage.setItem('lugar', JSON.stringify({ at: location.pathname + location.search, y: scrollY }))
  const text = form.querySelector('textarea[id]')
  if (text) sessionStorage.setItem('foco', location.pathname + '#' + text.id)
})
// After something was done to several contacts, the list has the focus on what was done.
document.addEventListener('submit', ({ target: form }) => {
  if (form.matches('#acoes, form[action="/acoes"], .toast form[action^="/acoes/"]')) sessionStorage.setItem('foco', '/contatos#aviso')
})
// So does choosing one of several ways to be shown the same.
document.addEventListener('click', (event) => {
  const way = event.target.closest('.seg-line a[id]')
  if (!way || event.ctrlKey || event.metaKey || event.shiftKey) return
  sessionStorage.setItem('lugar', JSON.stringify({ at: way.pathname + way.search, y: scrollY }))
  sessionStorage.setItem('foco', way.pathname + '#' + way.id)
})
const place = JSON.parse(sessionStorage.getItem('lugar') || 'null')
sessionStorage.removeItem('lugar')
if (place?.at === location.pathname + location.search && !location.hash) scrollTo(0, place.y)
const left = (sessionStorage.getItem('foco') || '').split('#')
sessionStorage.removeItem('foco')
if (left[0] === location.pathname) document.getElementById(left[1])?.focus({ preventScroll: true })

// A new condition asks "at least" of a field of numbers, until somebody chooses a comparison. It must be chosen before
// the change is sent, hence the capturing.
document.addEventListener('change', ({ target: field }) => {
  if (field.name === 'se.compara') field.dataset.chosen = 'yes'
  if (field.name !== 'se.campo') return
  const is = field.closest('.cols-3').querySelector('[name="se.compara"]')
  const value = field.closest('.cols-3').querySelector('[name="se.valor"]').value
  if (is.dataset.chosen || value || field.defaultValue) return
  const kind = [...field.list.options].find((o) => o.value === field.value)?.dataset.kind
  is.value = kind === 'number' ? '>=' : '=='
}, true)

// Ctrl+Enter submits forms marked so.
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  const form = event.target.closest('form[data-quick]')
  if (form) form.requestSubmit()
})

// A notice disappears by itself; one with undo stays longer, and while it has the pointer or the focus.
for (const toast of document.querySelectorAll('.toast')) {
  const go = () => { if (toast.matches(':hover, :focus-within')) setTimeout(go, 2000); else toast.remove() }
  setTimeout(go, toast.matches(':has(form), .t-bad') ? 20000 : 8000)
}

// Spending or destroying asks first: the page that asks without script is fetched, and its dialog shown above this one.
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
    if (!opener.contains(document.activeElement)) (opener.querySelector('button') || opener).focus() // as before
    dialog.showModal()
  } catch { // signed out, or no network: the browser shows it
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

// Escape leaves the form that is open in a list. What has a list of its own to close keeps the key.
document.addEventListener('keydown', ({ key, target, isComposing }) => {
  if (key !== 'Escape' || isComposing || target.matches('select, [type=date]') || document.querySelector('dialog:modal')) return
  const link = document.querySelector('a[data-leave]')
  if (link && target.form === link.previousElementSibling.form) link.click()
})

// Tab stays inside a dialog.
document.addEventListener('keydown', (event) => {
  const dialog = event.key === 'Tab' && document.querySelector('dialog:modal')
  if (!dialog) return
  const stops = [...dialog.querySelectorAll('a[href], button, input, select, textarea')]
    .filter((e) => !e.disabled && e.tabIndex >= 0 && e.type !== 'hidden' && e.checkVisibility())
  const end = event.shiftKey ? stops.at(0) : stops.at(-1), other = event.shiftKey ? stops.at(-1) : stops.at(0)
  if (dialog.contains(document.activeElement) && document.activeElement !== end) return
  event.preventDefault()
  other?.focus()
})

// Polling by a page does not extend a session.
document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
  if (ctx.sourceEvent?.type === 'every') ctx.request.headers['X-Unattended'] = 'true'
})

// What a page polls for may reload it, and a reload undoes a form that is on its way: the form goes first. The page is
// reloaded here and at once: a moment later a form might have been sent.
let sent = 0, reloads = false
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented) return
  sent = Date.now()
  if (reloads) window.stop()
})
document.addEventListener('htmx:before:response', (event) => {
  const { sourceEvent, response } = event.detail.ctx
  if (sourceEvent?.type !== 'every' || response.headers.get('HX-Refresh') !== 'true') return
  event.preventDefault()
  if (Date.now() - sent < 30000) return
  reloads = true
  location.reload()
})

// What is asked while somebody types may be answered after what Enter asked: it then replaces nothing, or the focus on
// the product would be lost.
let entered = null
document.addEventListener('submit', ({ target: form }) => {
  if (form.matches('form.ask')) entered = form.querySelector('input[hx-post]')
}, true)
document.addEventListener('input', (event) => { if (event.target === entered) entered = null })
document.addEventListener('htmx:before:response', (event) => {
  if (entered && event.detail.ctx.sourceElement === entered) event.preventDefault()
})

// A failed in-place request shows its error beside it, in the service's words if it sent any, until the next attempt.
// Polling keeps its present content, and goes on.
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
    refused.textContent = ctx.sourceElement.closest('[data-free]')
      ? 'O Fichário não respondeu. Nada foi consultado nem cobrado; ' +
        (ctx.sourceElement.matches('input') ? 'continue a digitar para tentar de novo.' : 'tente de novo.')
      : 'O Fichário não respondeu. O pedido pode ter chegado: antes de repetir, recarregue a página e veja.'
  }
  if (ctx.target === ctx.sourceElement) ctx.target.after(refused)
  else ctx.target.prepend(refused)
})

// A form is sent once, except for a download, after which the page remains.
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

// A page that the browser restores is stale, and its user may have signed out: it stays hidden until it has been
// reloaded.
addEventListener('pagehide', (event) => { if (event.persisted) document.documentElement.classList.add('left') })
addEventListener('pageshow', (event) => { if (event.persisted) location.reload() })
