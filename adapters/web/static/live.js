// Lists and the board update themselves when somebody else changes them. What one is about to click stays where it is:
// while the pointer or the focus is there, a line offers the news instead.
'use strict'

const fresh = document.querySelector('[data-live]')
if (fresh && window.EventSource) {
  let source = null, waiting = null
  const note = document.createElement('p')
  note.className = 'live-note'
  note.setAttribute('role', 'status')
  fresh.before(note)
  // What somebody has ticked or chosen is work under way.
  const touched = () => [...fresh.querySelectorAll('input, option')]
    .some((e) => e.tagName === 'OPTION' ? e.selected && !e.defaultSelected && e.index > 0 : e.checked !== e.defaultChecked)
  const busy = () => fresh.matches(':hover, :focus-within') || touched() ||
    document.querySelector('dialog:modal') !== null || getSelection().toString() !== ''

  // update is called by the news, or by whoever clicks on their offer: only the second is a visit.
  const update = async (click) => {
    waiting = null
    const place = new CustomEvent('live', { cancelable: true, bubbles: true })
    if (!fresh.dispatchEvent(place)) return void note.replaceChildren() // it reads itself anew
    const answer = await fetch(location.href, { headers: click ? {} : { 'X-Unattended': 'true' } }).catch(() => null)
    const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), 'text/html')
    const found = page && page.querySelector('[data-live]')
    if (!found) {
      if (click) note.firstChild.data = 'Não deu para atualizar. '
      return
    }
    const here = note.contains(document.activeElement)
    note.replaceChildren()
    const ticked = new Set([...fresh.querySelectorAll('[type=checkbox]:checked')].map((e) => e.value))
    fresh.replaceChildren(...found.childNodes)
    for (const e of fresh.querySelectorAll('[type=checkbox]')) if (ticked.has(e.value)) e.checked = true
    for (const e of document.querySelectorAll('[data-live-too]')) e.replaceWith(page.getElementById(e.id) || e)
    if (window.htmx) window.htmx.process(fresh)
    if (!here) return
    fresh.tabIndex = -1 // the button that had the focus is gone
    fresh.focus()
  }
  const offer = () => {
    if (!busy()) return void update()
    if (note.firstChild) return
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'btn btn-s', textContent: 'Atualizar', onclick: update })
    note.append('Outra pessoa mudou esta página. ', button)
  }
  // Several changes in a row are one.
  const heard = () => { waiting ??= setTimeout(offer, 400) }
  // What changed between the making of the page and the first message is news as well.
  let made = '?desde=' + fresh.dataset.live
  const listen = () => {
    if (document.hidden || source) return
    source = new EventSource('/eventos' + made)
    made = ''
    source.addEventListener('contatos', heard)
    // After an answer that is none a browser does not ask again by itself: a server that starts anew, or is full.
    source.addEventListener('error', () => {
      if (source?.readyState !== EventSource.CLOSED) return
      source = null
      setTimeout(() => { listen(); heard() }, 30000)
    })
  }
  // A page that nobody sees keeps no connection; when it is seen again it may be old.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      source?.close()
      source = null
    } else {
      listen()
      heard()
    }
  })
  addEventListener('pagehide', () => { source?.close(); source = null })
  listen()
}
