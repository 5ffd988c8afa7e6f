import { hexMember, textMember } from '../bundles/members.ts'
import { openSigned } from '../bundles/openSigned.ts'
import { FrameError } from '../FrameError.ts'
import { type Account, readAccount } from '../view/account.ts'

export declare namespace openImportBundle {
  type Parameters = Omit<openSigned.Parameters, 'kind'> & {
    /** User who imports; undefined if the client does not send it. */
    userId: string | undefined
  }
  type ReturnType = {
    /** Custody's key for this import: uncompressed P-256 point, 65 bytes. */
    target: Uint8Array
    account: Account
  }
}

/**
 * Verifies that custody signed the bundle for an import by this organization's user. Returns custody's key and the
 * target account.
 */
export async function openImportBundle(parameters: openImportBundle.Parameters): Promise<openImportBundle.ReturnType> {
  const { userId, ...signed } = parameters
  const data = await openSigned({ ...signed, kind: 'import' })
  if (userId !== undefined && userId !== textMember(data, 'userId', 'the import bundle')) {
    throw new FrameError('user id does not match: the import bundle is of another user')
  }
  const target = hexMember(data, 'targetPublic', 'the import bundle')
  if (target.length !== 65 || target[0] !== 4)
    throw new FrameError('targetPublic of the import bundle is no P-256 point')
  return { target, account: readAccount(data, textMember(data, 'organizationId', 'the import bundle')) }
}
