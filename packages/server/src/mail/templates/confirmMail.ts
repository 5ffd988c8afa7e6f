import { type ConfirmationAct, confirmationActions } from 'latchkey-protocol'
import type { ConfirmMail } from '../../keys/mailSeal.ts'
import { describeRequester, formatTime, type MailText, minutes, plainWords } from './mailTexts.ts'
import type { MailBlock } from './template.ts'

export declare namespace confirmMail {
  type Parameters = {
    mail: ConfirmMail
    appName: string
    /** Milliseconds since the epoch. */
    now: number
  }
  type ReturnType = MailText
}

/**
 * Writes the mail that asks a user to confirm. It shows the same facts as the confirmation page, which has the buttons.
 */
export function confirmMail({ mail, appName, now }: confirmMail.Parameters): confirmMail.ReturnType {
  const { subject, title, lead, otherwise } = mail.kind === 'prove' ? proofWords(appName) : requestWords(mail, appName)
  const blocks: MailBlock[] = [
    { type: 'text', text: lead },
    { type: 'context', text: describeRequest(mail) },
    ...listFacts(mail).map((text) => ({ type: 'text', text }) as const),
    { type: 'button', label: 'Review request', href: mail.link },
    { type: 'small', text: otherwise },
    { type: 'small', text: `The link works once, for ${minutes(mail.expiresAtMs - now)}. Opening it changes nothing.` },
    { type: 'small', text: "If the button doesn't work, copy this link into your browser:", href: mail.link },
  ]
  return { subject, title, blocks }
}

type Words = { subject: string; title: string; lead: string; otherwise: string }

function requestWords({ action }: ConfirmMail, appName: string): Words {
  const act = confirmationActions[action]
  const request = `${act[0]?.toLowerCase()}${act.slice(1)}`
  return {
    subject: `Confirm: ${request} – ${appName}`,
    title: `${act}?`,
    lead: `You (or someone signed in as you) asked to ${request}. Nothing happens until you confirm.`,
    otherwise:
      "Wasn't you? Open the link and decline. You can also sign out everywhere there. Never confirm because someone else tells you to.",
  }
}

/** Returns the text for an address that may belong to a stranger. */
function proofWords(appName: string): Words {
  return {
    subject: `Use this address to sign in to ${appName}?`,
    title: 'Use this address to sign in?',
    lead: 'Someone wants to use your email address for an account of this app. If you agree, emails to it can sign in to that account.',
    otherwise:
      "Wasn't you? Ignore this email, or open the link and decline. Never confirm because someone else tells you to: whoever already has access to the account can take everything in it.",
  }
}

function describeRequest({ app, requestedFrom, requestedAtMs }: ConfirmMail): string {
  return describeRequester({ app, requestedFrom, at: formatTime(requestedAtMs) }) ?? ''
}

function listFacts({ action, address, detail, openedBy, keyFingerprint, acts = [] }: ConfirmMail): string[] {
  return [
    // Formats a new address as an address, since custody has validated it. All other details are formatted as arbitrary
    // names.
    ...(detail ? [action === 'change-email' ? `New address: ${detail}` : `Name: ${plainWords(detail)}`] : []),
    ...acts.map(describeAct),
    ...(address ? [`Owner key: ${address}`] : []),
    ...(openedBy ? [`Already has access: ${plainWords(openedBy)}`] : []),
    ...(keyFingerprint ? [`Safety code (must match the app): ${keyFingerprint}`] : []),
  ]
}

function describeAct({ title, facts }: ConfirmationAct): string {
  const listed = facts.map(({ name, value, isQuoted }) => `${name}: ${isQuoted ? plainWords(value) : value}`).join('; ')
  return listed ? `${title} (${listed})` : title
}
