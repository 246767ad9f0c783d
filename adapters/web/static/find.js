// The search over everything, from any page: Ctrl+K or / opens it, arrows choose, Enter goes there, Esc closes. Without
// script it is a page of its own.
'use strict'

const finder = document.getElementById('busca')
if (finder) {
  const field = finder.querySelector('input')
  let waiting = false
  const stops = () => [field, ...finder.querySelectorAll('.find-a')]
  const open = () => {
    if (!finder.open) finder.showModal()
    waiting = false
    field.select()
    if (!finder.querySelector('.find-a')) field.dispatchEvent(new Event('input'))
  }
  document.addEventListener('click', (event) => {
    const link = event.target.closest('[data-find]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, textarea, select, [contenteditable]')
    const called = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' || event.key === '/' && !typing &&
      !event.ctrlKey && !event.metaKey && !event.altKey
    if (!called || document.querySelector('dialog:modal') && !finder.open) return
    event.preventDefault()
    open()
  })
  finder.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const all = stops(), step = event.key === 'ArrowDown' ? 1 : all.length - 1
    event.preventDefault()
    all[(Math.max(all.indexOf(document.activeElement), 0) + step) % all.length].focus()
  })
  // Enter in the field goes to the first thing found, as soon as what is shown is what was typed.
  const go = () => {
    waiting = finder.querySelector('data')?.value !== field.value.trim()
    if (!waiting) finder.querySelector('.find-a')?.click()
  }
  new MutationObserver(() => { if (waiting) go() }).observe(finder.querySelector('.find'), { childList: true })
  finder.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    go()
  })
  finder.addEventListener('click', (event) => { if (event.target === finder) finder.close() })
}
