import type { Db } from '../../platform/database/openStore.ts'
import { bundleAccount } from '../bundles/bundleAccount.ts'
import { importBundle } from '../bundles/signedBundles.ts'
import { requireBundleSigningKey } from '../calls/wallets/bundleSigningKey.ts'
import type { CustodyContext } from '../deps.ts'
import { createImportTarget } from './importTargets.ts'

/** Creates a key to which a user may seal one secret, and returns it with the user's account, signed: JSON text. */
export async function createImportBundle(
  context: CustodyContext,
  db: Db,
  owner: Parameters<typeof createImportTarget>[2],
): Promise<string> {
  const signingKey = requireBundleSigningKey(context)
  const { orgId, userId } = owner
  const targetPublicKey = await createImportTarget(context, db, owner)
  const account = await bundleAccount(context, db, { orgId, userId })
  return importBundle({ targetPublicKey, organizationId: orgId, account, signingKey })
}
