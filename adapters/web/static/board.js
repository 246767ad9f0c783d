// The board: cards are dragged between stages with a pointer or the keyboard. The menu of each card does the same; without
// script it leads to the contact's page.
'use strict'

const frame = document.getElementById('quadro')
const voice = document.getElementById('voz')
let held = null // { card, stage, slot, from, id, name, moved }

const stages = () => [...frame.querySelectorAll('.stage')]
const stageOf = (element) => element.closest('.stage')
const nameOf = (card) => card.querySelector('h3').textContent.trim()
const placeOf = (card) => card.querySelector('h3 a').pathname + '/etapa' // where its stage is set
const say = (text) => { voice.textContent = text }

// warn shows an error above the board until the next one, or until a card is taken.
let warning = null
function warn(text) {
  warning?.remove()
  warning = document.createElement('p')
  Object.assign(warning, { className: 'err', textContent: text })
  warning.setAttribute('role', 'alert')
  frame.before(warning)
}

frame.classList.add('can-drag')
describe()

// Screen readers read the key instructions with a card's name.
function describe() {
  for (const link of frame.querySelectorAll('.lead h3 a')) link.setAttribute('aria-describedby', 'ajuda')
}

function take(card) {
  if (held) giveUp()
  warning?.remove()
  const slot = document.createElement('div')
  Object.assign(slot, { className: 'slot', textContent: 'Solte aqui ' + nameOf(card) })
  held = { card, slot, from: stageOf(card), stage: stageOf(card), name: nameOf(card) }
  card.classList.add('lead-held')
  for (const menu of frame.querySelectorAll('.menu[open]')) menu.open = false
}

// over shows where the card would go.
function over(stage) {
  if (!held || !stage || stage === held.stage) return
  held.stage.removeAttribute('data-over')
  held.stage = stage
  held.slot.remove()
  if (stage !== held.from) {
    stage.setAttribute('data-over', '')
    stage.querySelector('header').after(held.slot)
  }
}

// show scrolls a stage into view horizontally, from below the targets at the end; the vertical position stays.
function show(stage) {
  const board = frame.firstElementChild, edge = board.getBoundingClientRect(), box = stage.getBoundingClientRect()
  if (getComputedStyle(stage).position === 'sticky') return
  const right = edge.right - (parseFloat(getComputedStyle(board).scrollPaddingRight) || 0)
  if (box.right > right) board.scrollLeft += box.right - right + 8
  if (box.left < edge.left) board.scrollLeft -= edge.left - box.left + 8
}

function release() {
  const was = held
  held = null
  was.slot.remove()
  was.stage.removeAttribute('data-over')
  was.card.classList.remove('lead-held')
  was.card.style.transform = ''
  return was
}

function giveUp() {
  if (!held) return
  const was = release()
  say(was.name + ' ficou em ' + was.from.dataset.name + '.')
}

async function drop() {
  const was = release()
  if (was.stage === was.from) {
    say(was.name + ' ficou em ' + was.from.dataset.name + '.')
    return
  }
  const target = was.stage.dataset.stage, where = was.stage.dataset.name, id = was.card.id
  const item = was.card.parentElement, after = item.nextElementSibling
  const focused = was.card.contains(document.activeElement)
  was.stage.querySelector('ul').prepend(was.card.parentElement) // at once; the server confirms
  try {
    const moved = await fetch(placeOf(was.card), {
      method: 'POST', headers: { 'HX-Request': 'true' }, body: new URLSearchParams({ etapa: target }), redirect: 'error',
      keepalive: true, // the card is moved even if the page is left at once
    })
    const door = moved.headers.get('HX-Redirect')
    if (door) return void (location.href = door) // signed out
    if (!moved.ok) throw new Error('refused')
    await again()
    say(was.name + ' movido para ' + where + '.')
  } catch {
    // Without a network a reload would lose the page: the card goes back, with a message that the outcome is unknown.
    await again().catch(() => was.from.querySelector('ul').insertBefore(item, after))
    warn('Não deu para mover ' + was.name + '. Confira a rede e tente de novo.')
  }
  if (!focused) return
  const link = document.querySelector('#' + CSS.escape(id) + ' h3 a')
  if (link) show(stageOf(link))
  const shown = link?.checkVisibility() ? link : link?.closest('details').querySelector('summary') // its stage is folded
  ;(shown || frame.firstElementChild).focus()
}

// again reloads the board and keeps its scroll position. If the user is active, the user's action counts as the visit.
async function again() {
  const answer = await fetch(location.href, { headers: { 'HX-Request': 'true', 'X-Unattended': 'true' } })
  if (!answer.ok || answer.status === 204) throw new Error('no board')
  const { scrollLeft, scrollTop } = frame.firstElementChild
  const unfolded = stages().filter((stage) => stage.querySelector('.stage-fold')?.open).map((stage) => stage.dataset.stage)
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('.board')
  frame.replaceChildren(document.adoptNode(fresh))
  for (const stage of stages()) {
    const fold = stage.querySelector('.stage-fold')
    if (fold) fold.open = unfolded.includes(stage.dataset.stage)
  }
  fresh.scrollLeft = scrollLeft
  fresh.scrollTop = scrollTop
  document.getElementById('aberto').textContent = fresh.dataset.open
  describe()
}

// The board was changed by somebody else.
frame.addEventListener('live', (event) => {
  event.preventDefault()
  if (!held && !press) again().catch(() => {}) // the next change tries again
})

// More cards of a stage, by the address that also shows them without script.
frame.addEventListener('click', async (event) => {
  const link = event.target.closest('[data-longer]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { stage, name } = stageOf(link).dataset, before = stageOf(link).querySelectorAll('.lead').length
  history.replaceState(null, '', link.href.split('#')[0])
  await again().catch(() => location.reload())
  const cards = stages().find((other) => other.dataset.stage === stage)?.querySelectorAll('.lead h3 a') || []
  cards[before]?.focus({ preventScroll: true })
  say('Mais ' + (cards.length - before) + ' em ' + name + '.')
})

// A Space meant for a card does not also scroll, even when the card has moved meanwhile.
let spent = false
addEventListener('keypress', (event) => { if (spent && event.key === ' ') event.preventDefault() }, true)
addEventListener('keyup', () => { spent = false }, true)

// The keyboard: on a card's name, Space picks up and drops, arrows choose the stage, Esc cancels.
frame.addEventListener('keydown', (event) => {
  const card = event.target.closest('.lead')
  if (!card || !event.target.matches('.lead, .lead h3 a') || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === ' ') {
    event.preventDefault()
    spent = true
    if (event.repeat) return
    if (held) return void drop()
    take(card)
    say(held.name + ', em ' + held.from.dataset.name + '. Setas movem, Espaço solta, Esc desiste.')
    return
  }
  if (!held) return
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
  if (event.key === 'Escape') giveUp()
  else if (event.key === 'Tab') return giveUp()
  else if (event.key === 'Enter') { event.preventDefault(); return void drop() }
  else if (step) {
    const all = stages()
    const at = Math.min(Math.max(all.indexOf(held.stage) + step, 0), all.length - 1)
    over(all[at])
    show(all[at])
    say(held.name + ', em ' + all[at].dataset.name + ', etapa ' + (at + 1) + ' de ' + all.length + '. Espaço solta.')
  } else return
  event.preventDefault()
})

// The pointer: a mouse drags at once, a finger after resting on the card, so that it can still scroll.
let press = null // { card, x, y, id, timer, touch, dragging, left, top }
const rest = 350, slack = 6

frame.addEventListener('pointerdown', (event) => {
  const card = event.target.closest('.lead')
  if (!card || event.button !== 0 || event.target.closest('.menu') || held) return
  const touch = event.pointerType !== 'mouse'
  press = { card, x: event.clientX, y: event.clientY, id: event.pointerId, touch }
  if (touch) press.timer = setTimeout(begin, rest)
})

function begin() {
  if (!press) return
  take(press.card)
  press.left = frame.firstElementChild.scrollLeft
  press.top = frame.firstElementChild.scrollTop + scrollY
  press.dragging = true
}

addEventListener('pointermove', (event) => {
  if (!press || event.pointerId !== press.id) return
  const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > slack
  if (!press.dragging) {
    if (!far) return
    if (press.touch) return stop() // it scrolls
    begin()
  }
  event.preventDefault()
  const board = frame.firstElementChild, edge = board.getBoundingClientRect()
  if (event.clientX > edge.right - 40) board.scrollLeft += 14
  if (event.clientX < edge.left + 40) board.scrollLeft -= 14
  const x = event.clientX - press.x + board.scrollLeft - press.left, y = event.clientY - press.y + board.scrollTop + scrollY - press.top
  press.card.style.pointerEvents = 'none'
  press.card.style.transform = `translate(${x}px, ${y}px)`
  const under = document.elementFromPoint(event.clientX, event.clientY)?.closest('.stage')
  if (under) over(under)
})

addEventListener('pointerup', (event) => {
  if (!press || event.pointerId !== press.id) return
  const dragged = press.dragging
  stop()
  if (!dragged || !held) return
  // The click that ends a drag must not open a link.
  const swallow = (click) => { click.preventDefault(); click.stopPropagation() }
  addEventListener('click', swallow, { capture: true })
  setTimeout(() => removeEventListener('click', swallow, { capture: true }), 50)
  drop()
})
addEventListener('pointercancel', () => { if (press) { stop(); giveUp() } })
addEventListener('keydown', (event) => { if (event.key === 'Escape' && press?.dragging) { stop(); giveUp() } })
// While a card is held, a finger does not scroll the page.
addEventListener('touchmove', (event) => { if (press?.dragging) event.preventDefault() }, { passive: false })
frame.addEventListener('contextmenu', (event) => { if (press?.dragging) event.preventDefault() })
frame.addEventListener('dragstart', (event) => event.preventDefault())

function stop() {
  clearTimeout(press.timer)
  press.card.style.pointerEvents = ''
  press = null
}

// A card's menu, and its undo, send a form and reload the page; the scroll position is kept. Keyboard users get the
// focus back on the card; for others it stays free, so that the board goes on updating itself.
const placed = 'quadro:' + location.pathname + location.search
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented || !/\/etapa$/.test(event.target.action)) return
  const board = frame.firstElementChild, keys = event.submitter?.matches(':focus-visible')
  const card = keys && 'c-' + event.target.action.split('/').at(-2)
  sessionStorage.setItem(placed, JSON.stringify({ left: board.scrollLeft, top: board.scrollTop, page: scrollY, card }))
})
{
  const was = JSON.parse(sessionStorage.getItem(placed) || 'null')
  sessionStorage.removeItem(placed)
  if (was) {
    frame.firstElementChild.scrollTo(was.left, was.top)
    scrollTo(0, was.page)
    document.getElementById(was.card)?.querySelector('h3 a').focus()
  }
}

// A card's menu gets the other stages when it is opened, and is scrolled into view where the board would cut it off.
frame.addEventListener('toggle', (event) => {
  if (event.target.open && event.target.matches('.stage-fold')) return show(stageOf(event.target))
  if (!event.target.open || !event.target.matches('.lead .menu')) return
  event.target.querySelector('div')?.replaceWith(document.getElementById('etapas').content.cloneNode(true))
  const form = event.target.querySelector('form')
  form.action = placeOf(form.closest('.lead'))
  form.querySelector(`[value="${stageOf(form).dataset.stage}"]`)?.remove()
  form.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}, true)

// A menu closes when something else is clicked, and with Esc.
document.addEventListener('click', (event) => {
  for (const menu of frame.querySelectorAll('.menu[open]')) if (!menu.contains(event.target)) menu.open = false
})
frame.addEventListener('keydown', (event) => {
  const menu = event.key === 'Escape' && event.target.closest('.menu[open]')
  if (menu) { menu.open = false; menu.querySelector('summary').focus() }
})
