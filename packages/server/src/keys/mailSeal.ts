import type { Confirmation } from 'latchkey-protocol'
import { ServerError } from '../platform/errors/ServerError.ts'
import { open, seal } from './seal.ts'

/** What the mail role needs to write a mail: its content, and how it looks. */
export type MailPayload = {
  to: string
  appName: string
  /** https. */
  logoUrl?: string | undefined
  /** Name to show as sender, instead of the configured one. */
  senderName?: string | undefined
  replyTo?: string | undefined
  /** One of the templates the mail role was given. */
  templateId?: string | undefined
  content: SignInMail | AddressCodeMail | NoticeMail | ConfirmMail
}

/** `link` carries the credential bundle; `code` is digits typed in the tab that asked. At least one of the two is set. */
export type SignInMail = {
  kind: 'sign-in'
  link?: string | undefined
  code?: string | undefined
  expiresAtMs: number
  codeExpiresAtMs?: number | undefined
  /** Browser and system that asked. */
  requestedFrom?: string | undefined
  /** ISO 8601, UTC. */
  requestedAt?: string | undefined
}

/** A code that proves that its reader owns the address, and makes no session. */
export type AddressCodeMail = { kind: 'address-code'; code: string; expiresAtMs: number }

export type NoticeKind =
  | 'passkey-added'
  | 'key-added'
  | 'credential-removed'
  | 'wallet-exported'
  | 'email-changed'
  | 'deletion-planned'
  | 'keys-destroyed'
  | 'account-frozen'
  | 'account-unfrozen'

/** Informs people of what was done to their wallet. `link` leads to a page that takes it back. */
export type NoticeMail = {
  kind: NoticeKind
  happenedAtMs: number
  link?: string | undefined
  /** When an announced deletion destroys the keys. */
  dueAtMs?: number | undefined
}

/** Asks a person, or the owner of a new address (`prove`), about what is done only then. `link` leads to a page that shows the same and has the buttons. */
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
 * @throws `INTERNAL` when the row or its recipient was changed, or the key is another.
 */
export function openMail(key: Uint8Array, identity: MailIdentity, box: Uint8Array): MailPayload {
  const bytes = open(key, box, mailAad(identity))
  const payload: MailPayload = JSON.parse(new TextDecoder().decode(bytes))
  bytes.fill(0)
  if (payload.to !== identity.recipient)
    throw new ServerError('A sealed mail names another recipient than its row.', { code: 'INTERNAL', status: 500 })
  return payload
}

function mailAad({ id, recipient }: MailIdentity): Uint8Array {
  return new TextEncoder().encode(`latchkey mail|${id}|${recipient}`)
}
