// The search over everything, from any page: Ctrl+K or / opens it, arrows choose, Enter opens, Esc closes. It is the
// search page, shown above this one; without script it is only that page.
'use strict'

let finder = null

// at adds keyboard control to a search.
function at(search) {
  const field = search.querySelector('input[name=busca]')
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const all = [field, ...search.querySelectorAll('.find-a')], step = event.key === 'ArrowDown' ? 1 : all.length - 1
    event.preventDefault()
    all[(Math.max(all.indexOf(document.activeElement), 0) + step) % all.length].focus()
  })
  // Enter in the field opens the first result, once the results match the typed text. An Enter pressed before a price
  // was visible does not buy: it only moves the focus there.
  let waiting = false
  const go = (seen) => {
    waiting = search.querySelector('data').value !== field.value.trim()
    const first = waiting ? null : search.querySelector('.find-a')
    if (first?.matches('a') || seen) first?.click()
    else first?.focus()
  }
  field.addEventListener('input', () => { waiting = false })
  new MutationObserver(() => { if (waiting) go(false) }).observe(search.querySelector('.find'), { childList: true })
  search.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    go(true)
  })
  return field
}

async function openFinder() {
  const here = document.querySelector('main .finder input[name=busca]')
  if (here) return here.focus()
  if (!finder) {
    const answer = await fetch('/buscar')
    const found = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('.finder')
    if (!found) return void (location.href = '/buscar') // signed out, for example
    finder = document.createElement('dialog')
    finder.className = 'dialog finder'
    finder.setAttribute('aria-label', 'Buscar')
    finder.append(...found.childNodes)
    const close = document.createElement('button') // a phone has no Esc, and no room around the search
    Object.assign(close, { type: 'button', className: 'btn btn-q only-n', textContent: 'Fechar', onclick: () => finder.close() })
    finder.querySelector('form').append(close)
    document.body.append(finder)
    window.htmx?.process(finder)
    at(finder)
    finder.addEventListener('click', (event) => { if (event.target === finder) finder.close() })
  }
  if (!finder.open) finder.showModal()
  finder.querySelector('input[name=busca]').select()
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-find]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  openFinder()
})
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select, [contenteditable]')
  const called = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' || event.key === '/' && !typing &&
    !event.ctrlKey && !event.metaKey && !event.altKey
  if (!called || !document.querySelector('[data-find]') || document.querySelector('dialog:modal') && !finder?.open) return
  event.preventDefault()
  openFinder()
})
const page = document.querySelector('main .finder')
if (page) at(page)
