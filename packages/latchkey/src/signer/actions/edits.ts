import type { UpdateUserParameters } from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'
import { activity } from '../runner/api/createCustodyApi.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { User, WaitOptions } from '../types.ts'
import { changeUser } from './changeUser.ts'
import { getActiveSession } from './getActiveSession.ts'

/**
 * Gives the user signed in an e-mail address, by the session's key or a prompt for the passkey. It takes place once the mails to
 * the present and to the new address are confirmed.
 *
 * @throws `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `INVALID_EMAIL`, `REQUEST_NOT_AUTHORIZED` (the sign-in
 * is not recent enough).
 */
export async function setEmail(runner: SignerRunner, given: string, options?: WaitOptions | undefined): Promise<User> {
  const { custodyApi } = runner.context
  const active = getActiveSession(runner)
  const userEmail = given.trim()
  const { orgId, userId } = active.user
  const call = activity<UpdateUserParameters>('updateUser', orgId, { userId, userEmail })
  await active.send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options?.signal)
  return changeUser(runner, active, { email: userEmail })
}

/**
 * Takes a passkey away from the user signed in. The service refuses to remove the last credential.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not recent
 * enough).
 */
export async function removeAuthenticator(
  runner: SignerRunner,
  id: string,
  options?: WaitOptions | undefined,
): Promise<void> {
  const { custodyApi } = runner.context
  const { user, send } = getActiveSession(runner)
  const { orgId, userId } = user
  const call = activity('deleteAuthenticators', orgId, { userId, authenticatorIds: [id] })
  await send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options?.signal)
}

/**
 * Deletes the account of the user signed in, with every key of it: at once for them, for good after the server's grace time. It
 * takes place once they have confirmed it by mail, and the mail that says so has the way back.
 *
 * @throws `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in
 * is not recent enough).
 */
export async function deleteAccount(runner: SignerRunner, options?: WaitOptions | undefined): Promise<void> {
  const { custodyApi } = runner.context
  const { user, send } = getActiveSession(runner)
  const call = activity('deleteSubOrganization', user.orgId, { deleteWithoutExport: true })
  const sent = send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options?.signal)
  await sent.catch((error: unknown) => {
    // From its deletion on an account is refused everything, the look at how that went as well.
    if (!(error instanceof BaseError && error.code === 'ORGANIZATION_DELETING')) throw error
  })
}
