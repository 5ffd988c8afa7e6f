import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Confirmation, ConfirmationKind } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import type { ConfirmationTable } from '../../platform/database/tables.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac } from '../macs.ts'

/** Details of a link, as the confirmation page shows them. */
export type LinkDetails = Omit<
  Confirmation,
  'kind' | 'state' | 'organizationId' | 'expiresAtMs' | 'failure' | 'exportBundle'
>
export type Link = Omit<Selectable<ConfirmationTable>, 'mac' | 'details'> & { details: LinkDetails }

export declare namespace addLink {
  type Parameters = {
    kind: ConfirmationKind
    activityId: string
    orgId: string
    userId: string
    details: LinkDetails
    expiresAt: Date
  }
}

/**
 * Creates a link for an e-mail, in the transaction of `db`. Its secret is 32 random bytes in the URL's fragment, which
 * browsers do not send; only a digest is stored.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function addLink(
  { macKey, confirmationUrl, now }: Pick<CustodyContext, 'macKey' | 'confirmationUrl' | 'now'>,
  db: Db,
  { kind, activityId, orgId, userId, details, expiresAt }: addLink.Parameters,
): Promise<string> {
  if (confirmationUrl === undefined)
    throw configInvalid(
      'Custody does not know the page on which people confirm: give it `confirmationUrl`, or set `confirmations` of the project to none.',
    )
  const secret = randomBytes(32)
  const identity = {
    id: randomUUID(),
    kind,
    activity_id: activityId,
    org_id: orgId,
    user_id: userId,
    secret_hash: hashSecret(secret),
    details: { ...details },
    expires_at: expiresAt,
  }
  await db
    .insertInto('confirmations')
    .values({
      ...identity,
      details: JSON.stringify(identity.details),
      created_at: new Date(now()),
      mac: mac(macKey, 'confirmations', identity),
    })
    .execute()
  return `${confirmationUrl}#${secret.toString('base64url')}`
}

/**
 * Returns the link with a secret, locked until the transaction ends.
 *
 * @throws `NOT_FOUND`.
 */
export async function findLink(context: Pick<CustodyContext, 'macKey'>, db: Db, secret: string): Promise<Link> {
  const row = await db
    .selectFrom('confirmations')
    .selectAll()
    .where('secret_hash', '=', hashSecret(Buffer.from(secret, 'base64url')))
    .forUpdate()
    .executeTakeFirst()
  if (row && isGenuine(context.macKey, 'confirmations', row)) return { ...row, details: row.details as LinkDetails }
  throw custodyError('NOT_FOUND', 'This link is unknown or has expired. Open the newest email.')
}

/** Links that a waiting activity can have: `confirm` for its user, `prove` for the owner of a new address. */
export const askingKinds: readonly ConfirmationKind[] = ['confirm', 'prove']

/** Returns the links of waiting activities, newest first. Skips links that custody did not write. */
export async function listAskingLinks(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  db: Db,
  activityIds: readonly string[],
): Promise<Link[]> {
  const rows = await db
    .selectFrom('confirmations')
    .selectAll()
    .where('activity_id', 'in', activityIds)
    .where('kind', 'in', askingKinds)
    .orderBy('created_at', 'desc')
    .execute()
  return rows
    .filter((row) => isGenuine(macKey, 'confirmations', row))
    .map((row) => ({ ...row, details: row.details as LinkDetails }))
}

/** Ends the open confirmations of a user whose address changes. */
export async function endConfirmations(db: Db, userId: string): Promise<void> {
  await db
    .deleteFrom('confirmations')
    .where('user_id', '=', userId)
    .where('kind', 'in', askingKinds)
    .where('decided_at', 'is', null)
    .execute()
}

function hashSecret(secret: Uint8Array): Uint8Array {
  return createHash('sha256').update(secret).digest()
}
