import type { Confirmation } from 'latchkey-protocol'
import { ServerError } from '../platform/errors/ServerError.ts'
import { open, seal } from './seal.ts'

/** Content and appearance of a mail, for the mail role. */
export type MailPayload = {
  to: string
  appName: string
  /** https. */
  logoUrl?: string | undefined
  /** Sender name that replaces the configured one. */
  senderName?: string | undefined
  replyTo?: string | undefined
  /** Id of a template of the mail role. */
  templateId?: string | undefined
  content: SignInMail | AddressCodeMail | NoticeMail | ConfirmMail
}

/**
 * `link` contains the credential bundle; `code` is typed in the tab that requested the mail. At least one of the two is
 * set.
 */
export type SignInMail = {
  kind: 'sign-in'
  link?: string | undefined
  code?: string | undefined
  expiresAtMs: number
  codeExpiresAtMs?: number | undefined
  /** Browser and system of the requester. */
  requestedFrom?: string | undefined
  /** ISO 8601 time in UTC. */
  requestedAt?: string | undefined
}

/** Mails a code that proves ownership of an address without creating a session. */
export type AddressCodeMail = { kind: 'address-code'; code: string; expiresAtMs: number }

export type NoticeKind =
  | 'passkey-added'
  | 'key-added'
  | 'provider-added'
  | 'credential-removed'
  | 'provider-removed'
  | 'factor-added'
  | 'factor-removed'
  | 'recovery-code-used'
  | 'wallet-exported'
  | 'wallet-moved'
  | 'email-changed'
  | 'deletion-planned'
  | 'keys-destroyed'
  | 'account-frozen'
  | 'account-unfrozen'

/** Notifies users of a change of their wallet. `link` opens a page that undoes the change. */
export type NoticeMail = {
  kind: NoticeKind
  happenedAtMs: number
  link?: string | undefined
  /** Time at which an announced deletion destroys the keys. */
  dueAtMs?: number | undefined
}

/**
 * Asks a user, or the owner of a new address (`prove`), to confirm an action. `link` opens a page that shows the same
 * details and the buttons.
 */
export type ConfirmMail = Omit<Confirmation, 'kind' | 'state' | 'organizationId' | 'failure'> & {
  kind: 'confirm' | 'prove'
  link: string
}

/** Row of the outbox that a payload belongs to. */
export type MailIdentity = { id: string; recipient: string }

/** Seals a mail for the mail role, bound to its row and recipient: editing the row cannot redirect it. */
export function sealMail(key: Uint8Array, identity: MailIdentity, payload: MailPayload): Uint8Array {
  return seal(key, new TextEncoder().encode(JSON.stringify(payload)), mailAad(identity))
}

/**
 * Opens a mail of {@link sealMail}.
 *
 * @throws `INTERNAL` if the row or its recipient changed, or the key differs.
 */
export function openMail(key: Uint8Array, identity: MailIdentity, box: Uint8Array): MailPayload {
  const bytes = open(key, box, mailAad(identity))
  const payload: MailPayload = JSON.parse(new TextDecoder().decode(bytes))
  bytes.fill(0)
  if (payload.to !== identity.recipient)
    throw new ServerError('A sealed email names a different recipient than its row.', { code: 'INTERNAL', status: 500 })
  return payload
}

function mailAad({ id, recipient }: MailIdentity): Uint8Array {
  return new TextEncoder().encode(`latchkey mail|${id}|${recipient}`)
}
