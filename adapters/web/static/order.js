// The stages of a funnel: rows are dragged to another place. Subir and Descer do the same without script.
'use strict'

for (const body of document.querySelectorAll('[data-order]')) {
  const form = document.getElementById(body.dataset.order)
  const rows = () => [...body.querySelectorAll('tr[data-stage]')]
  let held = null, from = 0
  for (const row of rows()) {
    const grip = row.querySelector('.grip')
    if (!grip) continue // being edited
    grip.hidden = false
    row.draggable = true
  }
  body.addEventListener('dragstart', (event) => {
    held = event.target.closest?.('tr[data-stage]')
    if (!held) return
    from = rows().indexOf(held)
    event.dataTransfer.effectAllowed = 'move'
    held.classList.add('held')
  })
  body.addEventListener('dragover', (event) => {
    const over = held && event.target.closest('tr[data-stage]')
    if (!over) return
    event.preventDefault()
    if (over === held) return
    const box = over.getBoundingClientRect()
    if (event.clientY > box.top + box.height / 2) over.after(held)
    else over.before(held)
  })
  body.addEventListener('drop', (event) => { if (held) event.preventDefault() })
  body.addEventListener('dragend', (event) => {
    if (!held) return
    const row = held, to = rows().indexOf(row)
    held = null
    row.classList.remove('held')
    if (event.dataTransfer.dropEffect === 'none') rows().filter((r) => r !== row)[from]?.before(row)
    else if (to !== from) {
      form.elements.etapa.value = row.dataset.stage
      form.elements.lugar.value = to
      form.requestSubmit()
    }
  })
}
