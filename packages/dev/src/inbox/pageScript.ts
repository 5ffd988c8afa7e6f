/** Runs in the page. Everything of a mail enters the document as text; its HTML lives in a sandboxed frame. */
export const pageScript = `const byId = (id) => document.getElementById(id)
let shown
let newest

function open(message) {
  shown = message.id
  byId('mail').hidden = false
  byId('subject').textContent = message.subject || '(no subject)'
  byId('meta').textContent = message.from + ' to ' + message.to + ', ' + new Date(message.receivedAt).toLocaleString()
  byId('links').replaceChildren(...message.links.map((link) => {
    const item = document.createElement('li')
    const anchor = document.createElement('a')
    Object.assign(anchor, { href: link, target: '_blank', rel: 'noreferrer noopener', textContent: link })
    item.append(anchor)
    return item
  }))
  byId('code').hidden = message.code === null
  byId('digits').textContent = message.code
  byId('copy').textContent = 'Copy'
  byId('html').hidden = !message.html
  if (message.html) byId('html').src = '/api/messages/' + encodeURIComponent(message.id) + '/html'
  byId('text').textContent = message.html ? '' : message.text
  mark()
}

function mark() {
  for (const button of byId('list').querySelectorAll('button')) {
    button.setAttribute('aria-current', String(button.dataset.id === shown))
  }
}

function row(message) {
  const item = document.createElement('li')
  const button = document.createElement('button')
  const subject = document.createElement('strong')
  const detail = document.createElement('span')
  subject.textContent = message.subject || '(no subject)'
  detail.textContent = message.to + ' · ' + new Date(message.receivedAt).toLocaleTimeString()
  button.type = 'button'
  button.dataset.id = message.id
  button.append(subject, detail)
  button.addEventListener('click', () => open(message))
  item.append(button)
  return item
}

async function refresh() {
  const response = await fetch('/api/messages', { signal: AbortSignal.timeout(5000) })
  const messages = await response.json()
  const key = messages.length + ':' + (messages[0]?.id ?? '')
  if (key === newest) return
  newest = key
  byId('list').replaceChildren(...messages.map(row))
  byId('empty').hidden = messages.length > 0
  if (messages.length === 0) byId('mail').hidden = true
  else if (!messages.some((message) => message.id === shown)) open(messages[0])
  mark()
}

byId('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(byId('digits').textContent)
  byId('copy').textContent = 'Copied'
})

byId('clear').addEventListener('click', async () => {
  await fetch('/api/messages', { method: 'DELETE' })
  await refresh()
})

async function loop() {
  await refresh().catch(() => undefined)
  setTimeout(loop, document.hidden ? 5000 : 1000)
}
loop()
`
