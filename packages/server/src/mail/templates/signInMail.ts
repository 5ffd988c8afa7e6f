import type { SignInMail } from '../../keys/mailSeal.ts'
import { formatTime } from './formatTime.ts'
import type { MailBlock } from './template.ts'

/** The mail that lets somebody in: a link, a code, or both, and who asked for it. */
export function signInMail(parameters: signInMail.Parameters): signInMail.ReturnType {
  const { mail, appName, now } = parameters
  const { link, code } = mail
  const blocks: MailBlock[] = []
  if (link)
    blocks.push(
      { type: 'text', text: 'Open the link in the browser where you asked for it.' },
      { type: 'button', label: 'Sign in', href: link },
    )
  if (code)
    blocks.push(
      { type: 'text', text: `${link ? 'Or enter' : 'Enter'} this code on the page where you asked for it.` },
      { type: 'code', code },
    )
  const context = contextLine(mail)
  if (context) blocks.push({ type: 'context', text: context })
  blocks.push({ type: 'small', text: lifeLine(mail, now) })
  if (code)
    blocks.push({
      type: 'small',
      text: 'Tell the code to nobody: whoever enters it signs in as you. We never ask for it.',
    })
  blocks.push({ type: 'small', text: 'If you did not ask for this mail, ignore it. Nobody can sign in without it.' })
  if (link) blocks.push({ type: 'small', text: 'If the button does not work, copy this link:', href: link })
  const subject = `Sign in to ${appName}`
  return { subject, title: subject, blocks }
}

export declare namespace signInMail {
  type Parameters = { mail: SignInMail; appName: string /** Milliseconds since the epoch. */; now: number }
  type ReturnType = { subject: string; title: string; blocks: MailBlock[] }
}

function contextLine({ requestedFrom, requestedAt }: SignInMail): string | undefined {
  const at = requestedAt === undefined ? undefined : formatTime(Date.parse(requestedAt))
  if (!requestedFrom && !at) return undefined
  return `Asked for${requestedFrom ? ` with ${requestedFrom}` : ''}${at ? ` on ${at}` : ''}.`
}

function lifeLine({ link, code, expiresAtMs, codeExpiresAtMs = expiresAtMs }: SignInMail, now: number): string {
  const ofLink = minutes(expiresAtMs - now)
  const ofCode = minutes(codeExpiresAtMs - now)
  if (!code) return `The link works for ${ofLink}.`
  if (!link) return `The code works for ${ofCode}.`
  return ofLink === ofCode
    ? `Link and code work for ${ofLink}.`
    : `The link works for ${ofLink}, the code for ${ofCode}.`
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / 60_000))
  return count === 1 ? '1 minute' : `${count} minutes`
}
