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
