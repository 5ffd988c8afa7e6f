import { ServerError } from '../http/ServerError.ts'

/**
 * Subject, text and HTML of the mail that carries a sign-in link. Everything from outside is escaped; a control
 * character (so also CR and LF, which would end a mail header) is refused.
 *
 * @throws ServerError `REQUEST_INVALID`
 */
export function renderSignInMail(parameters: renderSignInMail.Parameters): renderSignInMail.ReturnType {
  const { appName, link, minutes } = parameters
  if (/\p{Cc}/u.test(appName + link))
    throw new ServerError('A text for a mail holds control characters.', { code: 'REQUEST_INVALID' })
  const subject = `Sign in to ${appName}`
  const life = `Open the link in the browser where you asked for it. It works for ${minutes} minute${minutes === 1 ? '' : 's'}.`
  const ignore = 'If you did not ask for this mail, ignore it: without the link nobody can sign in.'
  const text = `${subject}\n\n${link}\n\n${life}\n\n${ignore}\n`
  return { subject, text, html: html({ subject: escapeHtml(subject), link: escapeHtml(link), life, ignore }) }
}

export declare namespace renderSignInMail {
  type Parameters = {
    appName: string
    /** http(s) URL. */
    link: string
    /** How long the link still works. */
    minutes: number
  }
  type ReturnType = { subject: string; text: string; html: string }
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const small = `${font};font-size:14px;line-height:20px;color:#57606a;margin:0 0 16px`

function html({ subject, link, life, ignore }: Record<'subject' | 'link' | 'life' | 'ignore', string>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0;padding:32px 16px;background:#f6f8fa">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border-radius:12px"><tr><td style="padding:32px">
<h1 style="${font};font-size:20px;line-height:28px;color:#1f2328;margin:0 0 24px">${subject}</h1>
<p style="margin:0 0 24px"><a href="${link}" style="${font};display:inline-block;padding:12px 24px;background:#1f2328;color:#ffffff;border-radius:8px;font-size:16px;text-decoration:none">Sign in</a></p>
<p style="${small}">${life}</p>
<p style="${small}">If the button does not work, copy this link:<br><a href="${link}" style="color:#0969da;word-break:break-all">${link}</a></p>
<p style="${small};margin:0">${ignore}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
