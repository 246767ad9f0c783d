// What the pages do with script. Each of it only adds comfort: without script the same forms and links do the same.
'use strict'

// Copying: a button beside a text that stands in data-copy, or in the element with that id.
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  const source = document.getElementById(button.dataset.copy)
  try {
    await navigator.clipboard.writeText(source.dataset.text || source.textContent.trim())
    const before = button.innerHTML
    button.textContent = 'Copiado'
    setTimeout(() => { button.innerHTML = before }, 2000)
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

// A form that sends itself when one of its fields changes, where it says so.
document.addEventListener('change', (event) => {
  const form = event.target.closest('form[data-auto]')
  if (form) form.requestSubmit()
})

// A notice goes by itself.
for (const toast of document.querySelectorAll('.toast')) setTimeout(() => toast.remove(), 8000)

// A form is sent once.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.dataset.sent) event.preventDefault()
  else if (form.method === 'post' && !form.hasAttribute('hx-post')) form.dataset.sent = 'yes'
})
addEventListener('pageshow', () => { for (const form of document.forms) delete form.dataset.sent })
