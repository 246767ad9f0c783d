// The search over everything, from any page: Ctrl+K opens it (and /, see keys.js), arrows choose, Enter opens, Esc closes. It is the
// search page, shown above this one; without script it is only that page.
'use strict'

let finder = null

// at makes a search a combobox: the focus stays in the field, arrows choose among the results, and a screen reader hears
// which one, and how many there are.
function at(search) {
  const field = search.querySelector('input[name=busca]'), list = search.querySelector('.find')
  const said = document.createElement('p')
  said.className = 'vh'
  said.setAttribute('role', 'status')
  list.after(said)
  for (const [name, value] of Object.entries({ role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': list.id })) field.setAttribute(name, value)
  const results = () => [...list.querySelectorAll('.find-a')]
  let chosen = null
  const choose = (result) => {
    chosen?.setAttribute('aria-selected', 'false')
    chosen = result
    if (!result) return void field.removeAttribute('aria-activedescendant')
    result.setAttribute('aria-selected', 'true')
    result.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', result.id)
  }
  const dress = () => {
    const all = results()
    choose(null)
    all.forEach((result, i) => {
      Object.assign(result, { id: list.id + '-' + i, tabIndex: -1 })
      result.setAttribute('role', 'option')
      result.setAttribute('aria-selected', 'false')
    })
    for (const box of list.querySelectorAll('li, form')) box.setAttribute('role', 'presentation')
    for (const group of list.querySelectorAll('ul')) {
      group.setAttribute('role', 'group')
      group.setAttribute('aria-label', group.previousElementSibling.textContent)
      group.previousElementSibling.setAttribute('aria-hidden', 'true')
    }
    if (all.length) list.setAttribute('role', 'listbox')
    else list.removeAttribute('role')
    list.setAttribute('aria-label', 'Resultados')
    field.setAttribute('aria-expanded', String(all.length > 0))
    said.textContent = all.length === 1 ? '1 resultado' : all.length ? all.length + ' resultados' : ''
  }
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const all = [null, ...results()], step = event.key === 'ArrowDown' ? 1 : all.length - 1
    event.preventDefault()
    choose(all[(all.indexOf(chosen) + step) % all.length])
  })
  // Enter opens the chosen result, or the first one, once the results match the typed text. An Enter pressed before a
  // price was visible does not buy: it only chooses what has it.
  let waiting = false
  const go = (seen) => {
    waiting = search.querySelector('data').value !== field.value.trim()
    const result = waiting ? null : chosen || results()[0]
    if (result?.matches('a') || seen) result?.click()
    else choose(result)
  }
  field.addEventListener('input', () => { waiting = false })
  new MutationObserver(() => {
    dress()
    if (waiting) go(false)
  }).observe(list, { childList: true })
  search.querySelector('form').addEventListener('submit', (event) => {
    // The button lists what was found, as without script; Enter in the field opens it.
    if (event.submitter && document.activeElement !== field) return
    event.preventDefault()
    event.stopPropagation()
    go(true)
  })
  dress()
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
  const called = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
  if (!called || !document.querySelector('[data-find]') || document.querySelector('dialog:modal') && !finder?.open) return
  event.preventDefault()
  openFinder()
})
const page = document.querySelector('main .finder')
if (page) at(page)
