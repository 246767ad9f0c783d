// The list of contacts: marking several, with Shift for a range, and what the bar below says of them.
'use strict'

{
  const bar = () => document.getElementById('acoes')
  const boxes = () => [...document.querySelectorAll('#acoes [name=c]')]
  // count says how many are marked; two of them can be merged.
  const count = () => {
    if (!bar()) return
    const all = boxes(), n = all.filter((box) => box.checked).length
    const page = document.querySelector('[data-mark]')
    page.checked = n > 0 && n === all.length
    page.indeterminate = n > 0 && n < all.length
    bar().querySelector('[data-marked]').textContent = n === 0 ? 'Os marcados' : n === 1 ? '1 marcado' : n + ' marcados'
    bar().querySelector('[role=status]').textContent = n === 0 ? '' : bar().querySelector('[data-marked]').textContent
    bar().querySelector('[data-two]').hidden = n !== 2
  }
  // Marking selects only marked ones; choosing all that the filter finds clears the marks.
  let last = null
  document.addEventListener('click', (event) => {
    const box = event.target
    if (!box.matches?.('#acoes [name=c]')) return
    const all = boxes(), from = all.indexOf(last), to = all.indexOf(box)
    if (event.shiftKey && from >= 0) {
      for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) one.checked = box.checked
      getSelection().removeAllRanges()
    }
    last = box
  })
  document.addEventListener('change', ({ target }) => {
    if (target.matches('[data-mark]')) for (const box of boxes()) box.checked = target.checked
    else if (target.matches('#acoes [name=todos][value=sim]')) for (const box of boxes()) box.checked = false
    else if (!target.matches('#acoes [name=c]')) return
    if (!target.matches('[name=todos]')) bar().querySelector('[name=todos][value=""]').checked = true
    count()
    // The bar that appears does not hide the row that was just marked.
    if (target.matches('[name=c]:checked')) target.closest('tr').scrollIntoView({ block: 'nearest' })
  })
  // A menu of the bar opens above its button, and within the screen.
  document.addEventListener('beforetoggle', ({ target: menu, newState }) => {
    if (newState !== 'open' || !menu.matches('.up')) return
    const at = document.querySelector(`[popovertarget="${menu.id}"]`).getBoundingClientRect()
    const page = document.documentElement, room = page.clientWidth
    const wide = 13 * parseFloat(getComputedStyle(page).fontSize) // as in the stylesheet, before the menu has a width
    menu.style.left = Math.max(8, Math.min(at.left, room - wide - 8)) + 'px'
    menu.style.bottom = innerHeight - at.top + 4 + 'px'
    menu.style.maxHeight = at.top - 12 + 'px'
  }, true)
  // After an update of the list, and when the browser comes back to it, boxes may be ticked already.
  new MutationObserver(count).observe(document.getElementById('lista'), { childList: true })
  addEventListener('pageshow', count)
  count()
}
