// Keys without Control, which /atalhos lists: through the rows of a list, and from page to page. They rest while somebody
// types or answers a question, and can be switched off in the account.
'use strict'

{
  const places = {
    p: '/', q: '/consultar', l: '/lotes', c: '/contatos', f: '/funil', n: '/notificacoes', e: '/extrato', w: '/webhooks',
    h: '/chaves', a: '/automacoes',
  }
  const linkOf = (row) => row.querySelector('th a, h3 a') || row.querySelector('a')
  const rows = () => [...document.querySelectorAll('main :is(.t tbody tr, .lead, .li > li)')]
    .filter((row) => linkOf(row) && row.checkVisibility())
  // rowHere is the row with the focus, or else the one whose person is open beside the list.
  const rowHere = (all) => {
    const at = all.findIndex((row) => row.contains(document.activeElement))
    return at < 0 ? all.findIndex((row) => row.closest('.open')) : at
  }

  // step moves the focus to the next or the previous row.
  function step(by) {
    const all = rows(), at = rowHere(all), next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by]
    if (!next) return false
    linkOf(next).focus()
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    linkOf(next).dispatchEvent(new CustomEvent('walked', { bubbles: true })) // what is open beside the list follows
    return true
  }

  // tick marks the present row, or takes its mark away. A switch in the row is no mark.
  function tick() {
    const all = rows(), box = all[rowHere(all)]?.querySelector('input[type=checkbox][name=c]')
    box?.click()
    return Boolean(box)
  }

  // edit opens the form of what the page shows, or of the contact in the present row.
  function edit() {
    const all = rows(), row = all[rowHere(all)], at = row && new URL(linkOf(row).href).pathname
    const contact = at?.match(/^\/contatos\/[0-9a-f-]{36}(?=\/|$)/)
    const form = document.querySelector('main a[data-edit]')?.href || contact && contact[0] + '/editar'
    if (form) location.href = form
    return Boolean(form)
  }

  let going = 0 // when g was pressed
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return
    if (target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]')) return
    if (document.querySelector('dialog:modal') || document.querySelector('.lead-held')) return
    const went = Date.now() - going < 1500
    going = 0
    let done = true
    if (went) {
      const link = places[key] && document.querySelector(`.side a[href="${places[key]}"]`)
      if (link) location.href = link.href
      done = Boolean(link)
    } else if (key === 'g') going = Date.now()
    else if (key === 'j') done = step(1)
    else if (key === 'k') done = step(-1)
    else if (key === 'x') done = tick()
    else if (key === 'e') done = edit()
    else if (key === '/') done = document.querySelector('[data-find]') && (openFinder(), true)
    else if (key === '?') ask(document.querySelector('.main'), '/atalhos')
    else done = false
    if (done) event.preventDefault()
  })
}
