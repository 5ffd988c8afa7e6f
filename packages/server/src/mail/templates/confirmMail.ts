import { confirmationActions } from 'latchkey-protocol'
import type { ConfirmMail } from '../../keys/mailSeal.ts'
import { formatTime, type MailText, minutes, plainWords } from './mailTexts.ts'
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

/** Writes the mail that asks a user to confirm: the same facts as its page, which has the buttons. */
export function confirmMail({ mail, appName, now }: confirmMail.Parameters): confirmMail.ReturnType {
  const isProof = mail.kind === 'prove'
  const words = isProof ? proofWords : askingWords
  const title = isProof ? 'Use this address to sign in?' : `${confirmationActions[mail.action]}?`
  const blocks: MailBlock[] = [
    { type: 'text', text: words.lead },
    { type: 'context', text: describeRequest(mail) },
    ...listFacts(mail).map((text) => ({ type: 'text', text }) as const),
    { type: 'button', label: 'See it and decide', href: mail.link },
    { type: 'small', text: words.otherwise },
    { type: 'small', text: `The link works for ${minutes(mail.expiresAtMs - now)}, once. Opening it changes nothing.` },
    { type: 'small', text: 'If the button does not work, copy this link:', href: mail.link },
  ]
  return { subject: `${appName}: ${words.subject}`, title, blocks }
}

const askingWords = {
  subject: 'confirm what you asked for',
  lead: 'Somebody who is signed in as you asked for this. It is done only if you confirm it.',
  otherwise:
    'Was it not you? Open the link and refuse. You can end all sessions there. Never confirm because somebody asks you to.',
}

/** For an address that may be a stranger's. */
const proofWords = {
  subject: 'use this address to sign in?',
  lead: 'An account of this app names your address. If you agree, mails to it open that account.',
  otherwise:
    'Was it not you? Ignore this mail, or open the link and refuse. Never confirm because somebody asks you to: who can open the account already can take all that is in it.',
}

function describeRequest({ app, requestedFrom, requestedAtMs }: ConfirmMail): string {
  const from = requestedFrom ? ` with what says it is ${plainWords(requestedFrom)}` : ''
  return `Asked for in ${app}${from} on ${formatTime(requestedAtMs)}.`
}

function listFacts({ action, address, detail, openedBy, keyFingerprint }: ConfirmMail): string[] {
  return [
    // Custody checks a new address; all other details are arbitrary names.
    ...(detail ? [`It names: ${action === 'change-email' ? detail : plainWords(detail)}`] : []),
    ...(address ? [`Account: ${address}`] : []),
    ...(openedBy ? [`Can open the account already: ${plainWords(openedBy)}`] : []),
    ...(keyFingerprint ? [`Fingerprint of the receiving key: ${keyFingerprint}`] : []),
  ]
}
