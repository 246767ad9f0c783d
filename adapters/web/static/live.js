// Lists and the board update themselves when somebody else changes them. Nothing moves just before a click: while the
// pointer or the focus is there, a line offers the update instead.
'use strict'

const fresh = document.querySelector('[data-live]')
if (fresh && window.EventSource) {
  let source = null, waiting = null
  const note = document.createElement('p')
  note.className = 'live-note'
  note.setAttribute('role', 'status')
  fresh.before(note)
  // Ticked boxes and choices are work in progress.
  const touched = () => [...fresh.querySelectorAll('input, option')]
    .some((e) => e.tagName === 'OPTION' ? e.selected && !e.defaultSelected && e.index > 0 : e.checked !== e.defaultChecked)
  const busy = () => fresh.matches(':hover, :focus-within') || touched() ||
    document.querySelector('dialog:modal') !== null || getSelection().toString() !== ''

  // update is called by a change, or by a click on the offer: only the latter counts as a visit.
  const update = async (click) => {
    waiting = null
    const place = new CustomEvent('live', { cancelable: true, bubbles: true })
    if (!fresh.dispatchEvent(place)) return void note.replaceChildren() // it reloads itself
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
  // Several changes in a row cause one update.
  const heard = () => { waiting ??= setTimeout(offer, 400) }
  // Changes between rendering the page and the first message count as well.
  let made = '?desde=' + fresh.dataset.live
  const listen = () => {
    if (document.hidden || source) return
    source = new EventSource('/eventos' + made)
    made = ''
    source.addEventListener('contatos', heard)
    // After an error status, from a restarting or full server, a browser does not reconnect by itself.
    source.addEventListener('error', () => {
      if (source?.readyState !== EventSource.CLOSED) return
      source = null
      setTimeout(() => { listen(); heard() }, 30000)
    })
  }
  // A hidden page keeps no connection; when it is visible again it may be stale.
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
