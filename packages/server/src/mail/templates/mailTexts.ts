import type { AddressCodeMail, NoticeKind, NoticeMail, SignInMail } from '../../keys/mailSeal.ts'
import type { MailBlock } from './template.ts'

/** The content of a mail, without its layout. */
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

export function signInMail(parameters: signInMail.Parameters): signInMail.ReturnType {
  const { mail, appName, now } = parameters
  const { link, code } = mail
  const blocks: MailBlock[] = []
  if (link)
    blocks.push(
      { type: 'text', text: 'Open this link in the browser where you started.' },
      { type: 'button', label: 'Sign in', href: link },
    )
  if (code)
    blocks.push(
      { type: 'text', text: `${link ? 'Or enter' : 'Enter'} this code on the page where you started.` },
      { type: 'code', code },
    )
  const context = contextLine(mail)
  if (context) blocks.push({ type: 'context', text: context })
  blocks.push({ type: 'small', text: lifeLine(mail, now) })
  if (code) blocks.push({ type: 'small', text: 'Never share this code. We will never ask for it.' })
  blocks.push({ type: 'small', text: "Didn't ask for this email? You can ignore it: nobody can sign in without it." })
  if (link)
    blocks.push({ type: 'small', text: "If the button doesn't work, copy this link into your browser:", href: link })
  const subject = `Sign in to ${appName}`
  return { subject, title: subject, blocks }
}

/**
 * Removes characters from another user's text that could form a link: mail clients link any text with a dot, colon,
 * slash or @, and an app's mail must not contain a stranger's link.
 */
export function plainWords(text: string): string {
  return text
    .replace(/[^\p{L}\p{M}\p{N} (),“”’'-]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

function contextLine({ requestedFrom, requestedAt }: SignInMail): string | undefined {
  const at = requestedAt === undefined ? undefined : formatTime(Date.parse(requestedAt))
  return describeRequester({ requestedFrom, at })
}

/** Returns a line such as `Requested from Firefox on Linux, 21 Nov 2026, 12:40 UTC`; undefined if nothing is known. */
export function describeRequester({
  app,
  requestedFrom,
  at,
}: Partial<Record<'app' | 'requestedFrom' | 'at', string | undefined>>): string | undefined {
  const origin = [app && `in ${app}`, requestedFrom && `from ${plainWords(requestedFrom)}`].filter(Boolean).join(' ')
  const parts = [origin, at].filter(Boolean)
  return parts.length === 0 ? undefined : `Requested ${parts.join(', ')}`
}

function lifeLine({ link, code, expiresAtMs, codeExpiresAtMs = expiresAtMs }: SignInMail, now: number): string {
  const linkLife = minutes(expiresAtMs - now)
  const codeLife = minutes(codeExpiresAtMs - now)
  if (!code) return `The link works for ${linkLife}.`
  if (!link) return `The code works for ${codeLife}.`
  return linkLife === codeLife
    ? `The link and the code work for ${linkLife}.`
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
    subject: `${appName}: your code to confirm this address`,
    title: 'Is this your address?',
    blocks: [
      {
        type: 'text',
        text: 'Someone wants to use your email address for an account of this app. If that was you, enter this code on the page where you started.',
      },
      { type: 'code', code },
      { type: 'text', text: 'After that, emails to this address can sign in to the account.' },
      { type: 'small', text: `The code works once, for ${minutes(expiresAtMs - now)}.` },
      {
        type: 'small',
        text: 'Never share this code or enter it anywhere else: whoever already has access to the account can take everything in it.',
      },
      { type: 'small', text: "Didn't ask for this email? You can ignore it: nothing changes without the code." },
    ],
  }
}

export function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / 60_000))
  return count === 1 ? '1 minute' : `${count} minutes`
}

type Words = { title: string; what: string; otherwise: string; isByOperator?: true }

const removeIt = "If this wasn't you, sign in now, remove it and sign out everywhere."
const words: Record<NoticeKind, Words> = {
  'passkey-added': {
    title: 'A passkey was added',
    what: 'A new passkey can now sign in to your wallet and use it.',
    otherwise: removeIt,
  },
  'key-added': {
    title: 'A key was added',
    what: 'A new key can now use your wallet.',
    otherwise: removeIt,
  },
  'provider-added': {
    title: 'A way to sign in was added',
    what: 'An account of an identity provider can now sign in to your wallet and use it.',
    otherwise: removeIt,
  },
  'credential-removed': {
    title: 'A passkey or key was removed',
    what: 'A passkey or key of your wallet was removed. It can no longer sign in.',
    otherwise: "If this wasn't you, sign in by email now and check your passkeys.",
  },
  'provider-removed': {
    title: 'A way to sign in was removed',
    what: 'An account of an identity provider can no longer sign in to your wallet.',
    otherwise: "If this wasn't you, sign in by email now and check how your wallet is reached.",
  },
  'factor-added': {
    title: 'A second factor was added',
    what: 'Signing in to your wallet by email or by an identity provider now also asks for a code of your authenticator app.',
    otherwise:
      "If this wasn't you, sign in with a passkey now, remove it and sign out everywhere, or contact the app's support.",
  },
  'factor-removed': {
    title: 'Your second factor was removed',
    what: 'Signing in to your wallet no longer asks for a code of your authenticator app.',
    otherwise: "If this wasn't you, sign in now, set it up again and sign out everywhere.",
  },
  'recovery-code-used': {
    title: 'A recovery code was used',
    what: 'Someone signed in to your wallet with one of your recovery codes. That code is now used up.',
    otherwise: "If this wasn't you, sign in now, set up your second factor anew and sign out everywhere.",
  },
  'wallet-exported': {
    title: 'Your wallet was exported',
    what: 'The recovery phrase or private key of your wallet was shown to someone signed in as you. Whoever has it controls the wallet forever.',
    otherwise: "If this wasn't you, move everything you own to another wallet now.",
  },
  'wallet-moved': {
    title: 'Your wallet has a new address',
    what: 'A wallet from another service was moved into your account, and its address is now the one that the app shows.',
    otherwise: "If this wasn't you, send nothing to the new address and contact the app's support.",
  },
  'email-changed': {
    title: 'Your email address was changed',
    what: 'Your wallet now uses a different email address. Emails to this one can no longer sign you in.',
    otherwise: "If this wasn't you, sign in with your passkey now, or contact the app's support.",
  },
  'deletion-planned': {
    title: 'Your account is being deleted',
    what: 'It is locked now, and its keys will be destroyed {due}. After that, anything it still holds is out of reach.',
    otherwise:
      "If this wasn't you, or you changed your mind, open the link below. It works until the keys are destroyed.",
  },
  'keys-destroyed': {
    title: 'Your account is deleted',
    what: 'Its keys were destroyed and your email address was erased. This is the last email about it.',
    otherwise: 'If you sign up with this address again, you get a new account.',
  },
  'account-frozen': {
    title: 'Your account is frozen',
    what: 'The service has frozen it: you cannot sign in or use it for now. Its keys are safe, and everything it holds stays where it is.',
    otherwise: "Contact the app's support to find out why and to get it unfrozen.",
    isByOperator: true,
  },
  'account-unfrozen': {
    title: 'Your account is no longer frozen',
    what: 'You can sign in and use it again.',
    otherwise: "When you do, check its passkeys and sessions, and remove any you don't recognize.",
    isByOperator: true,
  },
}

const linkLabels: { [kind in NoticeKind]?: string } = {
  'passkey-added': "This wasn't me: remove the passkey",
  'deletion-planned': 'Keep my account',
}

export declare namespace noticeMail {
  type Parameters = { mail: NoticeMail; appName: string }
  type ReturnType = MailText
}

/**
 * Writes the mail that reports a change of the user's wallet. Its link opens a page that can undo the change after a
 * confirmation.
 */
export function noticeMail({ mail, appName }: noticeMail.Parameters): noticeMail.ReturnType {
  const { title, what, otherwise, isByOperator } = words[mail.kind]
  const at = formatTime(mail.happenedAtMs)
  const dueAt = mail.dueAtMs === undefined ? undefined : formatTime(mail.dueAtMs)
  return {
    subject: `${appName}: ${title[0]?.toLowerCase()}${title.slice(1)}`,
    title,
    blocks: [
      { type: 'text', text: what.replace('{due}', dueAt ? `on ${dueAt}` : 'in a few days') },
      ...(at ? [{ type: 'context', text: at } as const] : []),
      { type: 'text', text: otherwise },
      ...(mail.link ? [{ type: 'button', label: linkLabels[mail.kind] ?? 'Undo', href: mail.link } as const] : []),
      ...(isByOperator ? [] : [{ type: 'small', text: "If this was you, there's nothing you need to do." } as const]),
    ],
  }
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Formats a time in UTC, since the reader's time zone is unknown. Undefined for an invalid time. */
export function formatTime(ms: number): string | undefined {
  return Number.isFinite(ms) ? `${format.format(ms)} UTC` : undefined
}
