export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Inbox · Latchkey</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/inbox.css">
</head>
<body>
<header>
  <h1>Inbox</h1>
  <p>Mails of this machine. Nothing leaves it.</p>
  <button id="clear" type="button">Delete all</button>
</header>
<main>
  <nav aria-label="Mails"><ul id="list"></ul><p id="empty">No mail yet. It shows here as soon as it arrives.</p></nav>
  <article id="mail" aria-live="polite" hidden>
    <h2 id="subject"></h2>
    <p id="meta"></p>
    <p id="code" hidden>Code <output id="digits"></output> <button id="copy" type="button">Copy</button></p>
    <iframe id="html" title="Mail" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
    <pre id="text"></pre>
    <details><summary>Links</summary><ul id="links" aria-label="Links"></ul></details>
  </article>
</main>
<script src="/inbox.js" type="module"></script>
</body>
</html>
`

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

/** The tokens of the design, and the few rules this page needs. */
export const pageStyles = `:root {
  --paper: #ffffff; --canvas: #f6f5f1; --ink: #14161a; --ink-2: #5c6069; --line: #e4e2dc; --fill: #f3f2ee;
  --brass: #96681c; --brass-soft: #f5ecdb;
  --mono: ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #17191e; --canvas: #0e1013; --ink: #f2f1ed; --ink-2: #a8acb5; --line: #2a2d34; --fill: #20232a;
    --brass: #dcae5f; --brass-soft: #2e2617;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; max-width: 1080px; padding: 24px 20px 40px; background: var(--canvas); color: var(--ink);
  font: 15px/1.5 "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header { display: flex; align-items: baseline; gap: 14px; flex-wrap: wrap; margin-bottom: 18px; }
h1 { font-size: 22px; margin: 0; }
header p { margin: 0; color: var(--ink-2); flex: 1; }
button {
  font: inherit; color: var(--ink); background: var(--fill); border: 1px solid var(--line); border-radius: 8px;
  padding: 6px 14px; cursor: pointer;
}
:focus-visible { outline: none; box-shadow: 0 0 0 3px color-mix(in srgb, var(--brass) 35%, transparent); }
main { display: grid; grid-template-columns: minmax(240px, 340px) 1fr; gap: 16px; align-items: start; }
nav, article { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
nav ul, #links { list-style: none; margin: 0; padding: 0; }
nav li + li { border-top: 1px solid var(--line); }
nav button { display: block; width: 100%; text-align: left; background: none; border: 0; border-radius: 0; padding: 12px 16px; }
nav button[aria-current="true"] { background: var(--brass-soft); }
nav strong, nav span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav strong { font-weight: 600; }
nav span, #meta, #empty { color: var(--ink-2); font-size: 13px; }
#empty { padding: 18px 16px; margin: 0; }
article { padding: 20px; min-width: 0; }
h2 { font-size: 18px; margin: 0 0 4px; overflow-wrap: anywhere; }
#meta { margin: 0 0 12px; }
#code { margin: 0 0 14px; color: var(--ink-2); }
#code output { font: 600 22px/1 var(--mono); letter-spacing: 0.14em; color: var(--ink); margin: 0 8px; user-select: all; }
details { margin-top: 14px; }
summary { color: var(--ink-2); font-size: 13px; cursor: pointer; }
#links { margin-top: 8px; }
#links a { color: var(--brass); font: 13px/1.6 var(--mono); overflow-wrap: anywhere; }
iframe {
  width: 100%; height: 760px; border: 1px solid var(--line); border-radius: 8px; background: var(--canvas);
}
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 var(--mono); margin: 14px 0 0; }
@media (max-width: 720px) {
  body { padding: 16px 12px 24px; }
  header { gap: 4px 14px; }
  h1 { flex: 1; }
  header p { flex-basis: 100%; order: 1; }
  main { grid-template-columns: 1fr; }
  article { padding: 16px; }
  iframe { height: 980px; }
}
`
