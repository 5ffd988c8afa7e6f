import type { CustodyContext } from '../deps.ts'
import { readPrivateKeys } from './readPrivateKeys.ts'
import { readQuery } from './readQuery.ts'

/** `list_private_keys`: keys that were imported by themselves, for users of the organization and of its parent (§ 2.7). */
export async function listPrivateKeys(context: CustodyContext, request: listPrivateKeys.Parameters): Promise<object> {
  const { organization } = await readQuery(context, request, {})
  return { privateKeys: await readPrivateKeys(context, organization.id) }
}

export declare namespace listPrivateKeys {
  type Parameters = { headers: Headers; body: Uint8Array }
}
