import { p256 } from '@noble/curves/nist.js'
import type { AccountStatement, AccountStatementData } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { bundleAccount } from './bundleAccount.ts'

export declare namespace accountStatement {
  type Parameters = {
    /** Compressed public key in hex, or base64url id of a passkey. */
    credential: string
    orgId: string
    userId: string
  }
}

/**
 * Signs a statement of a credential's account and address, which the signer API forwards. Returns undefined without an
 * address, or without a signing key.
 */
export async function accountStatement(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'bundleSigningKey'>,
  db: Db,
  { credential, orgId, userId }: accountStatement.Parameters,
): Promise<AccountStatement | undefined> {
  const { bundleSigningKey: key } = context
  if (!key) return undefined
  const { address, ...account } = await bundleAccount(context, db, { orgId, userId })
  if (address === undefined) return undefined
  const content: AccountStatementData = { statement: 'account', credential, organizationId: orgId, ...account, address }
  const data = JSON.stringify(content)
  return {
    data,
    signature: Buffer.from(p256.sign(new TextEncoder().encode(data), key)).toString('hex'),
    signingKey: Buffer.from(p256.getPublicKey(key, false)).toString('hex'),
  }
}
