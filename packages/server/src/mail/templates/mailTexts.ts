import type { AddressCodeMail, NoticeKind, NoticeMail, SignInMail } from '../../keys/mailSeal.ts'
import type { MailBlock } from './template.ts'

/** The text of a mail, without its look. */
export type MailText = { subject: string; title: string; blocks: MailBlock[] }

export declare namespace signInMail {
  type Parameters = {
    mail: SignInMail
    appName: string
    /** Milliseconds since the epoch. */
    now: number
  }
  type ReturnType = MailText
}

/** Writes a sign-in mail: a link, a code, or both, and the browser that asked for it. */
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

/**
 * Defuses another user's text: mail clients link anything with a dot, colon, slash or @, and a stranger's link must not
 * arrive in a mail of the app.
 */
export function plainWords(text: string): string {
  return text
    .replace(/[^\p{L}\p{M}\p{N} (),“”’'-]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

function contextLine({ requestedFrom, requestedAt }: SignInMail): string | undefined {
  const at = requestedAt === undefined ? undefined : formatTime(Date.parse(requestedAt))
  if (!requestedFrom && !at) return undefined
  return `Asked for${requestedFrom ? ` with ${plainWords(requestedFrom)}` : ''}${at ? ` on ${at}` : ''}.`
}

function lifeLine({ link, code, expiresAtMs, codeExpiresAtMs = expiresAtMs }: SignInMail, now: number): string {
  const linkLife = minutes(expiresAtMs - now)
  const codeLife = minutes(codeExpiresAtMs - now)
  if (!code) return `The link works for ${linkLife}.`
  if (!link) return `The code works for ${codeLife}.`
  return linkLife === codeLife
    ? `Link and code work for ${linkLife}.`
    : `The link works for ${linkLife}, the code for ${codeLife}.`
}

export declare namespace addressCodeMail {
  type Parameters = { mail: AddressCodeMail; appName: string; now: number }
  type ReturnType = MailText
}

/** Writes the mail whose code proves an address. Its recipient may be a stranger. */
export function addressCodeMail({ mail, appName, now }: addressCodeMail.Parameters): addressCodeMail.ReturnType {
  const { code, expiresAtMs } = mail
  return {
    subject: `${appName}: your code for this address`,
    title: 'Is this your address?',
    blocks: [
      {
        type: 'text',
        text: 'An account of this app names your address. Enter this code on the page where you asked for it.',
      },
      { type: 'code', code },
      { type: 'text', text: 'From then on mails to this address open that account.' },
      { type: 'small', text: `The code works for ${minutes(expiresAtMs - now)}, once.` },
      {
        type: 'small',
        text: 'Tell it to nobody, and enter it on no other page: who can open the account already can take all that is in it.',
      },
      { type: 'small', text: 'If you did not ask for this mail, ignore it. Nothing changes without the code.' },
    ],
  }
}

/** Formats minutes, such as `15 minutes`; at least one. */
export function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / 60_000))
  return count === 1 ? '1 minute' : `${count} minutes`
}

type Words = { title: string; what: string; otherwise: string; isByOperator?: true }

const removeIt = 'If this was not you, sign in now, remove it and sign out everywhere.'
const words: Record<NoticeKind, Words> = {
  'passkey-added': {
    title: 'A passkey was added',
    what: 'A new passkey can sign in to your wallet and use it.',
    otherwise: removeIt,
  },
  'key-added': {
    title: 'A key was added',
    what: 'A new key can use your wallet.',
    otherwise: removeIt,
  },
  'credential-removed': {
    title: 'A passkey or key was removed',
    what: 'A passkey or key that could use your wallet was removed. It cannot sign in any more.',
    otherwise: 'If this was not you, sign in by mail now and check your passkeys.',
  },
  'wallet-exported': {
    title: 'Your wallet was exported',
    what: 'The seed phrase or private key of your wallet was shown to somebody who is signed in as you. Whoever has it controls the wallet for good.',
    otherwise: 'If this was not you, move everything you own to another wallet now.',
  },
  'email-changed': {
    title: 'Your e-mail address was changed',
    what: 'Your wallet has another e-mail address now. Mails to this one cannot sign in any more.',
    otherwise: 'If this was not you, sign in with your passkey now, or ask for help where you use the wallet.',
  },
  'deletion-planned': {
    title: 'Your account is being deleted',
    what: 'Nobody can use it any more. Its keys are destroyed after some days, and with them the way to all it holds.',
    otherwise:
      'If this was not you, or you want to keep it, open the link below. It works until the keys are destroyed.',
  },
  'keys-destroyed': {
    title: 'Your account is deleted',
    what: 'Its keys are destroyed and your e-mail address is erased. This is the last mail about it.',
    otherwise: 'An account that you make with this address from now on is a new one.',
  },
  'account-frozen': {
    title: 'Your account is frozen',
    what: 'The operator of the service froze it: until that is lifted it neither signs nor signs in. Its keys are safe, and what it holds stays where it is.',
    otherwise: 'Write to the support of the app to learn why, and to have it lifted.',
    isByOperator: true,
  },
  'account-unfrozen': {
    title: 'Your account is no longer frozen',
    what: 'You can sign in and use it again.',
    otherwise: 'When you do, look at its passkeys and sessions, and remove what is not yours.',
    isByOperator: true,
  },
}

const linkLabels: { [kind in NoticeKind]?: string } = {
  'passkey-added': 'It was not me: remove the passkey',
  'deletion-planned': 'Keep my account',
}

export declare namespace noticeMail {
  type Parameters = { mail: NoticeMail; appName: string }
  type ReturnType = MailText
}

/**
 * Writes the mail about a change of the user's wallet. A link leads to a page that can undo the change after asking.
 */
export function noticeMail({ mail, appName }: noticeMail.Parameters): noticeMail.ReturnType {
  const { title, what, otherwise, isByOperator } = words[mail.kind]
  const at = formatTime(mail.happenedAtMs)
  const dueAt = mail.dueAtMs === undefined ? undefined : formatTime(mail.dueAtMs)
  return {
    subject: `${appName}: ${title[0]?.toLowerCase()}${title.slice(1)}`,
    title,
    blocks: [
      { type: 'text', text: what },
      ...(at ? [{ type: 'context', text: `On ${at}.` } as const] : []),
      ...(dueAt ? [{ type: 'text', text: `The keys are destroyed on ${dueAt}.` } as const] : []),
      { type: 'text', text: otherwise },
      ...(mail.link ? [{ type: 'button', label: linkLabels[mail.kind] ?? 'Undo it', href: mail.link } as const] : []),
      ...(isByOperator ? [] : [{ type: 'small', text: 'If it was you, there is nothing to do.' } as const]),
    ],
  }
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Formats a time in UTC, since the reader's time zone is unknown. Undefined for an invalid time. */
export function formatTime(ms: number): string | undefined {
  return Number.isFinite(ms) ? `${format.format(ms)} UTC` : undefined
}
