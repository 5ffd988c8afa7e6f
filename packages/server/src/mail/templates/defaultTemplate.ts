import type { MailBlock, MailTemplate } from './template.ts'

const font = "font-family:Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const mono = 'font-family:ui-monospace,Menlo,Consolas,monospace'

/**
 * Inline styles, since mail clients drop style sheets; `dark` is for clients that support them. Colors are the design's
 * tokens.
 */
const styles = {
  body: 'margin:0;padding:0;background:#f6f5f1',
  outer: 'padding:32px 16px',
  card: 'max-width:480px;background:#ffffff;border:1px solid #e4e2dc;border-radius:20px',
  inner: 'padding:28px 28px 24px',
  brand: `${font};font-size:14px;line-height:32px;font-weight:600;color:#5c6069;margin:0 0 16px`,
  logo: 'height:32px;max-width:160px;vertical-align:middle;margin:0 10px 0 0;border:0',
  title: `${font};font-size:22px;line-height:30px;font-weight:600;letter-spacing:-0.01em;color:#14161a;margin:0 0 16px`,
  /** Breaks words, since account addresses are wider than a phone's screen. */
  text: `${font};font-size:15px;line-height:23px;color:#14161a;margin:0 0 16px;word-break:break-word;overflow-wrap:anywhere`,
  action: 'margin:0 0 20px',
  button: `${font};display:block;padding:14px 24px;background:#14161a;color:#ffffff;border-radius:12px;font-size:16px;line-height:20px;font-weight:600;text-align:center;text-decoration:none`,
  code: `${mono};font-size:26px;line-height:40px;letter-spacing:2px;text-align:center;color:#14161a;background:#f3f2ee;border-radius:12px;padding:12px 8px;margin:0 0 20px`,
  group: 'white-space:nowrap;padding:0 5px',
  context: `${font};font-size:14px;line-height:21px;color:#5c6069;border-left:3px solid #96681c;padding:0 0 0 12px;margin:0 0 16px`,
  small: `${font};font-size:13px;line-height:20px;color:#5c6069;margin:0 0 12px`,
  link: 'color:#96681c;word-break:break-all',
  dark: [
    '@media (prefers-color-scheme:dark){',
    '.canvas{background:#0e1013!important}',
    '.card{background:#17191e!important;border-color:#2a2d34!important}',
    '.ink{color:#f2f1ed!important}',
    '.soft{color:#a8acb5!important}',
    '.context{color:#a8acb5!important;border-color:#dcae5f!important}',
    '.code{color:#f2f1ed!important;background:#20232a!important}',
    '.button{color:#14161a!important;background:#f2f1ed!important}',
    '.link{color:#dcae5f!important}',
    '}',
  ].join(''),
}

/** The default template: one column that follows the reader's color scheme, light or dark. */
export const defaultTemplate: MailTemplate = (document) => ({
  text: `${[document.title, ...document.blocks.map(toText)].join('\n\n')}\n`,
  html: toHtml(document),
})

function toText(block: MailBlock): string {
  if (block.type === 'button') return `${block.label}:\n${block.href}`
  if (block.type === 'code') return `    ${block.code}`
  if (block.type === 'small' && block.href) return `${block.text}\n${block.href}`
  return block.text
}

function toHtml({ appName, logoUrl, subject, title, blocks }: Parameters<MailTemplate>[0]): string {
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
<table class="canvas" role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="${styles.outer}"><div role="main">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="${styles.card}"><tr><td style="${styles.inner}">
<p class="soft" style="${styles.brand}">${logo}${name}</p>
<h1 class="ink" style="${styles.title}">${escapeHtml(title)}</h1>
${blocks.map(toBlockHtml).join('\n')}
</td></tr></table>
</div></td></tr></table>
</body>
</html>
`
}

function toBlockHtml(block: MailBlock): string {
  if (block.type === 'button')
    return `<p style="${styles.action}"><a class="button" href="${escapeHtml(block.href)}" style="${styles.button}">${escapeHtml(block.label)}</a></p>`
  if (block.type === 'code') return `<p class="code" style="${styles.code}">${toGroups(block.code)}</p>`
  const text = escapeHtml(block.text)
  if (block.type === 'text') return `<p class="ink" style="${styles.text}">${text}</p>`
  if (block.type === 'context') return `<p class="context" style="${styles.context}">${text}</p>`
  const href = block.href === undefined ? undefined : escapeHtml(block.href)
  const link = href === undefined ? '' : `<br><a class="link" href="${href}" style="${styles.link}">${href}</a>`
  return `<p class="soft" style="${styles.small}">${text}${link}</p>`
}

/** Formats a code in groups of three that may wrap on a narrow screen. The copied text contains no spaces. */
function toGroups(code: string): string {
  const groups = escapeHtml(code).match(/\d{3}|.+/gs) ?? []
  return groups.map((group) => `<span style="${styles.group}">${group}</span>`).join('<wbr>')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
