import type { ExportBundle, ExportBundleData, ImportBundleData } from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'
import { CustodyError, ResponseInvalidError } from '../errors/custodyErrors.ts'
import { type ActivityCall, activity } from '../runner/api/createCustodyApi.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { Signer, User } from '../types.ts'
import type { WaitOptions } from '../WaitOptions.ts'
import { changeUser } from './changeUser.ts'
import { type ActiveSession, getActiveSession } from './getActiveSession.ts'
import { ethereumAccount, requestImportBundle } from './importWallet.ts'

/**
 * Moves a wallet from another service to this service. `from` is a signer of the other service with a signed-in user.
 * The other service encrypts the wallet to a key of this service, where it becomes the account's first wallet. On
 * failure, the error code is stored for the operator's report.
 *
 * @throws `SIGNER_NOT_AUTHENTICATED` (at either service), `ABORTED`, `HTTP_FAILED` (`turnkeyErrorCode`
 * `REQUEST_INVALID`: this account is in use), `REQUEST_NOT_AUTHORIZED` (this service accepts no moved wallets, or a
 * sign-in is not recent enough), `RESPONSE_INVALID`, `WALLET_NOT_FOUND`.
 */
export async function moveWallet(
  runner: SignerRunner,
  from: Pick<Signer, 'getAddress' | 'sealWallet'>,
  { signal }: WaitOptions = {},
): Promise<User> {
  const { context } = runner
  const active = getActiveSession(runner)
  const movedAddress = await from.getAddress()
  const { orgId, userId, address } = active.user
  if (movedAddress === address) return active.user
  const send = (call: ActivityCall, own?: AbortSignal | undefined) =>
    active.send((stamp, either) => context.custodyApi.submit(call, stamp, either), 'session', own)
  try {
    const targetPublicKey = readTarget((await requestImportBundle(context, active, 'phrase')).importBundle, active)
    const encryptedBundle = readSealed(await from.sealWallet({ targetPublicKey, signal }))
    const wallet = { userId, walletName: 'Ethereum wallet', encryptedBundle, accounts: [ethereumAccount], movedAddress }
    await send(activity('importWallet', orgId, wallet), signal)
  } catch (error) {
    // Reporting the failure with a passkey would prompt the user again, which is worse than a gap in the report.
    const failure = { userId, address: movedAddress, reason: readReason(error) }
    if (!active.promptsEachTime) await send(activity('noteMoveFailure', orgId, failure)).catch(() => undefined)
    throw error
  }
  return changeUser(runner, active, { address: movedAddress })
}

/** Returns the error code of either service, if it has the format of a code. */
function readReason(error: unknown): string {
  const given = error instanceof CustodyError ? error.turnkeyErrorCode : undefined
  if (given && /^[A-Z][A-Z0-9_]{2,63}$/.test(given)) return given
  return error instanceof BaseError ? error.code : 'INTERNAL'
}

function readTarget(importBundle: string, { user }: ActiveSession): string {
  const data = readData<ImportBundleData>(importBundle, 'an import')
  if (!data.targetPublic || data.organizationId !== user.orgId || data.userId !== user.userId)
    throw new ResponseInvalidError('an import')
  return data.targetPublic
}

/** Returns the encrypted secret of an export in the form that an import needs. */
function readSealed(exportBundle: string): string {
  const { encappedPublic, ciphertext } = readData<ExportBundleData>(exportBundle, 'an export')
  if (!encappedPublic || !ciphertext) throw new ResponseInvalidError('an export')
  return JSON.stringify({ encappedPublic, ciphertext })
}

function readData<data>(bundle: string, what: string): Partial<data> {
  try {
    const { data } = JSON.parse(bundle) as ExportBundle
    const bytes = Uint8Array.from(data.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    return JSON.parse(new TextDecoder().decode(bytes)) as Partial<data>
  } catch {
    throw new ResponseInvalidError(what)
  }
}
