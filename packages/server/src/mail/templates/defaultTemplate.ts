import { escapeHtml, mailStyles as styles } from './mailStyles.ts'
import type { MailBlock, MailTemplate } from './template.ts'

/** The look of every mail unless the mail role was given another: one column, light or dark as the reader's system. */
export const defaultTemplate: MailTemplate = (document) => ({
  text: `${[document.title, ...document.blocks.map(textOf)].join('\n\n')}\n`,
  html: htmlOf(document),
})

function textOf(block: MailBlock): string {
  if (block.type === 'button') return block.href
  if (block.type === 'code') return `    ${block.code}`
  if (block.type === 'small' && block.href) return `${block.text}\n${block.href}`
  return block.text
}

function htmlOf({ appName, logoUrl, subject, title, blocks }: Parameters<MailTemplate>[0]): string {
  const name = escapeHtml(appName)
  const logo = logoUrl ? `<img src="${escapeHtml(logoUrl)}" alt="" height="32" style="${styles.logo}">` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${escapeHtml(subject)}</title>
<style>${styles.dark}</style>
</head>
<body class="canvas" style="${styles.body}">
<table class="canvas" role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="${styles.outer}">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="${styles.card}"><tr><td style="${styles.inner}">
<p class="soft" style="${styles.brand}">${logo}${name}</p>
<h1 class="ink" style="${styles.title}">${escapeHtml(title)}</h1>
${blocks.map(blockHtml).join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}

function blockHtml(block: MailBlock): string {
  if (block.type === 'button')
    return `<p style="${styles.action}"><a class="button" href="${escapeHtml(block.href)}" style="${styles.button}">${escapeHtml(block.label)}</a></p>`
  if (block.type === 'code') return `<p class="code" style="${styles.code}">${escapeHtml(block.code)}</p>`
  const text = escapeHtml(block.text)
  if (block.type === 'text') return `<p class="ink" style="${styles.text}">${text}</p>`
  if (block.type === 'context') return `<p class="context" style="${styles.context}">${text}</p>`
  const href = block.href === undefined ? undefined : escapeHtml(block.href)
  const link = href === undefined ? '' : `<br><a class="link" href="${href}" style="${styles.link}">${href}</a>`
  return `<p class="soft" style="${styles.small}">${text}${link}</p>`
}
