// The button of a lookup lives only while its form has what it needs. Without this script the browser, or the page that
// comes back, says what is missing.
const live = (root) => {
  for (const form of root.querySelectorAll('form[data-live]')) {
    for (const button of form.querySelectorAll('button')) button.disabled = form.matches(':invalid')
  }
}
for (const change of ['input', 'change']) document.addEventListener(change, (event) => {
  if (event.target.form?.matches('[data-live]')) live(event.target.form.parentElement)
})
new MutationObserver(() => live(document)).observe(document.querySelector('#reconhecido'), { childList: true, subtree: true })
live(document)

// A list that is pasted into the field keeps its lines apart; browsers would join them.
document.querySelector('#documento').addEventListener('paste', (event) => {
  const text = event.clipboardData?.getData('text') ?? ''
  if (!/\S[ \t]*[\r\n]+\s*\S/.test(text)) return
  event.preventDefault()
  document.execCommand('insertText', false, text.trim().replace(/\s*[\r\n]+\s*/g, ', '))
})
