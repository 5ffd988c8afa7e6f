import {
  custodyPaths,
  type GetSpendingRulesResponse,
  type SetSpendingRulesParameters,
  type SpendingRules,
  type UpdateUserParameters,
} from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { activity } from '../runner/api/createCustodyApi.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { AddAgentKeyParameters, User } from '../types.ts'
import type { WaitOptions } from '../WaitOptions.ts'
import { changeUser } from './changeUser.ts'
import { getActiveSession } from './getActiveSession.ts'

/**
 * Sets the user's e-mail address, authorized by the session's key or a passkey prompt. The change takes effect once the
 * user has confirmed the e-mails to the current and the new address.
 *
 * @throws `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`,
 * `REQUEST_NOT_AUTHORIZED` (the sign-in is not recent enough), `HTTP_FAILED` (`turnkeyErrorCode` `INVALID_EMAIL`).
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
 * Removes a passkey of the signed-in user. The service refuses to remove the last credential.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not
 * recent enough).
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
 * Deletes the signed-in user's account and all its keys once the user has confirmed by e-mail. The user loses access
 * immediately. The keys are destroyed after the server's grace period; until then the user can cancel as the e-mail
 * explains.
 *
 * @throws `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`,
 * `REQUEST_NOT_AUTHORIZED` (the sign-in is not recent enough).
 */
export async function deleteAccount(runner: SignerRunner, options?: WaitOptions | undefined): Promise<void> {
  const { custodyApi } = runner.context
  const { user, send } = getActiveSession(runner)
  const call = activity('deleteSubOrganization', user.orgId, { deleteWithoutExport: true })
  const sent = send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options?.signal)
  await sent.catch((error: unknown) => {
    // A deleted account cannot send any request, not even to poll the status of its deletion.
    if (!(error instanceof BaseError && error.code === 'ORGANIZATION_DELETING')) throw error
  })
}

/** Returns the signed-in user's spending rules, and the amounts spent in the last 24 hours. */
export async function getSpendingRules(runner: SignerRunner): Promise<GetSpendingRulesResponse> {
  const { user, send } = getActiveSession(runner)
  const request = { organizationId: user.orgId }
  const response = await send((stamp, signal) =>
    runner.context.custodyApi.query(custodyPaths.getSpendingRules, request, stamp, signal),
  )
  const { rules, spending } = (response ?? {}) as Partial<GetSpendingRulesResponse>
  if (rules === undefined || !Array.isArray(spending)) throw new ResponseInvalidError('spending rules')
  return { rules, spending }
}

/**
 * Sets the signed-in user's spending rules once the user has confirmed them by e-mail. `null` removes the rules.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not
 * recent enough).
 */
export async function setSpendingRules(
  runner: SignerRunner,
  rules: SpendingRules | null,
  options?: WaitOptions | undefined,
): Promise<void> {
  const { user, send } = getActiveSession(runner)
  const call = activity<SetSpendingRulesParameters>('setSpendingRules', user.orgId, { rules })
  await send((stamp, signal) => runner.context.custodyApi.submit(call, stamp, signal), 'person', options?.signal)
}

/**
 * Adds the key of a program that acts for the signed-in user, once the user has confirmed the key's scope by e-mail.
 * Returns the key's id, for `revokeSessions`.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not
 * recent enough), `HTTP_FAILED` (the scope or the key is invalid).
 */
export async function addAgentKey(
  runner: SignerRunner,
  { name, publicKey, scope }: AddAgentKeyParameters,
  options?: WaitOptions | undefined,
): Promise<string> {
  const { user, send } = getActiveSession(runner)
  const apiKeys = [{ apiKeyName: name, publicKey, curveType: 'API_KEY_CURVE_P256', scope }]
  const call = activity('createApiKeys', user.orgId, { userId: user.userId, apiKeys })
  const result = await send(
    (stamp, signal) => runner.context.custodyApi.submit(call, stamp, signal),
    'person',
    options?.signal,
  )
  const [id] = (result as { apiKeyIds?: readonly unknown[] } | undefined)?.apiKeyIds ?? []
  if (typeof id !== 'string') throw new ResponseInvalidError('the new key')
  return id
}
