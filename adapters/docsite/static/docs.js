// What the reference has beyond its pages: the language of samples is kept, code is copied, what is searched for is shown
// while it is typed, and a call is made with one's key, to this service only. Without script the pages say the same.
'use strict'

const pt = document.documentElement.lang.startsWith('pt')
const say = (portuguese, english) => pt ? portuguese : english

// The language of samples: one choice for all of them, on all pages.
function choose(lang) {
  for (const radio of document.querySelectorAll('.samples-h input')) {
    if (radio.value === lang) radio.checked = true
  }
}
try {
  const kept = localStorage.getItem('linguagem')
  if (kept) choose(kept)
} catch { /* the browser keeps nothing */ }
document.addEventListener('change', (event) => {
  if (!event.target.matches('.samples-h input')) return
  choose(event.target.value)
  try { localStorage.setItem('linguagem', event.target.value) } catch { /* as above */ }
})

// Copying.
const withCopy = (within) => within.querySelectorAll('pre.code:not(.docs-short)').forEach((code) => {
  const holder = code.closest('.samples') || document.createElement('div')
  if (!holder.isConnected) {
    code.replaceWith(holder)
    holder.append(code)
  }
  if (holder.querySelector('.docs-copy')) return
  holder.classList.add('with-copy')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn btn-s docs-copy'
  button.textContent = say('Copiar', 'Copy')
  button.addEventListener('click', async () => {
    const shown = [...holder.querySelectorAll('pre.code')].find((one) => one.checkVisibility())
    try {
      await navigator.clipboard.writeText(shown.textContent)
      button.textContent = say('Copiado', 'Copied')
      setTimeout(() => { button.textContent = say('Copiar', 'Copy') }, 2000)
    } catch { // as over plain http, where there is no clipboard
      getSelection().selectAllChildren(shown)
    }
  })
  holder.append(button)
})
withCopy(document.querySelector('.docs-main'))

// What is long is on a page of its own until somebody unfolds it here.
document.addEventListener('toggle', async ({ target }) => {
  const link = target.open && target.querySelector(':scope > summary + a:only-of-type')
  if (!link) return
  const answer = await fetch(link.href).catch(() => null)
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), 'text/html')
  const part = page && page.querySelector('.docs-part')
  if (!part || !link.isConnected) return // the link stays, and leads there
  link.replaceWith(...part.childNodes)
  withCopy(target)
}, true)

// The search, while it is typed.
const finder = document.querySelector('.docs-find')
const field = finder.querySelector('input'), list = finder.querySelector('.docs-found')
let asked = ''
async function find() {
  const query = asked = field.value.trim()
  if (!query) return void (list.hidden = true)
  const answer = await fetch(finder.action + '?q=' + encodeURIComponent(query)).catch(() => null)
  if (!answer) return // the form searches too
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  if (asked !== query) return
  list.replaceChildren(...page.querySelector('#encontrado')?.childNodes ?? [])
  list.hidden = false
}
let soon
field.addEventListener('input', () => {
  clearTimeout(soon)
  soon = setTimeout(find, 120)
})
finder.addEventListener('keydown', (event) => {
  const all = [field, ...list.querySelectorAll('a')], at = all.indexOf(document.activeElement)
  if (event.key === 'Escape') {
    list.hidden = true
    field.focus()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    all[(at + (event.key === 'ArrowDown' ? 1 : all.length - 1)) % all.length].focus()
  }
})
document.addEventListener('click', (event) => { if (!finder.contains(event.target)) list.hidden = true })
document.addEventListener('keydown', (event) => {
  const called = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' ||
    event.key === '/' && !event.target.closest('input, textarea, select')
  if (!called) return
  event.preventDefault()
  field.select()
})

// A key to try calls with, made for who is signed in, where every bureau invents its answers. It stays in the tab, and
// stands before the samples for the command line, which then work when pasted.
const own = () => sessionStorage.getItem('chave') || ''
function fillIn() {
  if (!own()) return
  for (const code of document.querySelectorAll('.docs-main .sample-bash code')) {
    if (!code.textContent.includes('$FICHARIO_KEY')) continue
    code.prepend(`export FICHARIO_KEY='${own()}'\n`)
  }
}
const maker = document.body.dataset.testKeys
const vars = [...document.querySelectorAll('.docs-vars code, .prose li code')].find((e) => e.textContent === 'FICHARIO_KEY')
fillIn()
if (maker && vars && !own()) {
  const row = document.createElement('p'), button = document.createElement('button'), said = document.createElement('span')
  row.className = 'docs-own'
  Object.assign(button, { type: 'button', className: 'btn btn-s', textContent: say('Usar uma chave de teste minha', 'Use a test key of mine') })
  said.setAttribute('role', 'status')
  row.append(button, said)
  vars.closest('dl, ul').after(row)
  button.addEventListener('click', async () => {
    button.disabled = true
    const answer = await fetch(maker, { method: 'POST', headers: { 'HX-Request': 'true' } }).catch(() => null)
    button.disabled = false
    if (answer?.ok && !answer.headers.get('HX-Redirect')) {
      sessionStorage.setItem('chave', (await answer.text()).trim())
      for (const field of document.querySelectorAll('[data-key]')) field.value = own()
      fillIn()
      button.remove()
      return void (said.textContent = say('A chave está nas amostras desta aba, e vale por 30 dias.', 'The key is in the samples of this tab, and is good for 30 days.'))
    }
    said.textContent = answer?.headers.get('HX-Redirect')
      ? say('Entre no Fichário nesta janela do navegador e tente de novo.', 'Sign in to Fichário in this browser and try again.')
      : answer?.status === 403 ? say('Peça uma chave a quem administra a organização.', 'Ask whoever manages the organisation for a key.')
        : say('Não deu certo. Tente de novo.', 'It did not work. Try again.')
  })
}

// A call with one's key. The key stays in the tab; the address is always this service's.
const box = document.querySelector('.docs-try')
if (box) {
  const call = box.querySelector('form'), out = box.querySelector('.docs-out')
  const key = call.querySelector('[data-key]'), body = call.querySelector('[data-body]')
  if (key) key.value = sessionStorage.getItem('chave') || ''
  box.hidden = false
  call.addEventListener('submit', async (event) => {
    event.preventDefault()
    let path = call.dataset.path
    const query = new URLSearchParams(), headers = {}
    for (const input of call.querySelectorAll('[data-in]')) {
      const value = input.value.trim()
      if (!value) continue
      if (input.dataset.in === 'path') path = path.replace('{' + input.name + '}', encodeURIComponent(value))
      if (input.dataset.in === 'query') query.set(input.name, value)
      if (input.dataset.in === 'header') headers[input.name] = value
    }
    if (key) {
      sessionStorage.setItem('chave', key.value.trim())
      if (key.value.trim()) headers.Authorization = 'Bearer ' + key.value.trim()
    }
    if (body) headers['Content-Type'] = 'application/json'
    const button = call.querySelector('[type=submit]'), said = out.querySelector('p'), shown = out.querySelector('code')
    button.disabled = true
    try {
      const answer = await fetch(path + (query.size ? '?' + query : ''), {
        method: call.dataset.method, headers, body: body?.value, credentials: 'omit', redirect: 'manual',
      })
      const text = await answer.text()
      said.textContent = answer.status + ' ' + answer.statusText
      try {
        shown.textContent = JSON.stringify(JSON.parse(text), null, 2)
      } catch {
        shown.textContent = text
      }
    } catch {
      said.textContent = say('Não houve resposta.', 'There was no answer.')
      shown.textContent = ''
    }
    out.hidden = false
    button.disabled = false
  })
}
