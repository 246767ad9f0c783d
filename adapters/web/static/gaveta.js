// One person beside a list or the board, on a wide screen: a click on the row or the name opens it, Esc closes it. Without script, and on smaller
// screens, the name is a link to the page.
'use strict'

{
  const drawer = document.getElementById('gaveta')
  const links = drawer.dataset.drawer, room = matchMedia('(min-width: 80rem)')
  let shown = null, wanted = null // the addresses of the person beside the list, and of the one asked for last
  const row = () => [...document.querySelectorAll(links)].find((link) => link.href === shown)?.closest('tr, li')

  // open shows a person; where keys walk through the list, the focus stays there.
  const open = async (link, walked) => {
    wanted = link.href
    const answer = await fetch(link.href + '?parte=gaveta').catch(() => null)
    if (wanted !== link.href) return
    // Signed out, merged or deleted: the browser shows what there is.
    if (!answer?.ok || answer.redirected) return void (location.href = link.href)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    if (wanted !== link.href) return
    row()?.classList.remove('open')
    shown = link.href
    row()?.classList.add('open')
    drawer.replaceChildren(...page.body.childNodes)
    drawer.hidden = false
    drawer.scrollTop = 0
    if (!walked) drawer.querySelector('h2').focus({ preventScroll: true })
  }
  const shut = () => {
    const from = row()
    drawer.hidden = true
    drawer.replaceChildren()
    from?.classList.remove('open')
    from?.querySelector(links)?.focus()
    shown = wanted = null
  }
  document.addEventListener('click', (event) => {
    if (event.target.closest('[data-shut]')) return shut()
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !room.matches) return
    const other = event.target.closest('a, button, input, label, summary')
    const link = other ? event.target.closest(links) : event.target.closest('tbody tr')?.querySelector(links)
    if (!link || drawer.contains(link) || !other && getSelection().toString() !== '') return
    event.preventDefault()
    open(link)
  })
  document.addEventListener('walked', ({ target }) => {
    const link = target.closest(links)
    if (link && !drawer.hidden && room.matches) open(link, true)
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !drawer.hidden && !document.querySelector('dialog:modal, :popover-open')) shut()
  })
}
