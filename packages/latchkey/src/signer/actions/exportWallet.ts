import {
  custodyPaths,
  type ExportWalletAccountParameters,
  type ExportWalletAccountResult,
  type ExportWalletParameters as ExportWalletActivity,
  type ExportWalletResult,
  frameMessages,
  type ListWalletAccountsRequest,
  type ListWalletsRequest,
} from 'latchkey-protocol'
import {
  ExportInjectionError,
  ResponseInvalidError,
  SealRefusedError,
  WalletNotFoundError,
} from '../errors/custodyErrors.ts'
import { isText } from '../guards.ts'
import { activity, type Stamper } from '../runner/api/createCustodyApi.ts'
import type { SignerContext } from '../runner/createContext.ts'
import { injectBundle } from '../runner/frame/injectBundle.ts'
import { isFrameKey } from '../runner/frame/isFrameKey.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { ExportWalletParameters, SealWalletParameters, User } from '../types.ts'
import { getActiveSession } from './getActiveSession.ts'

/**
 * Shows the user's secret in the export frame: the seed phrase in an e-mail session, the private key in a passkey
 * session. Only the frame decrypts the secret. It stays until the session ends, the next export or `destroy`. Returns
 * false if the confirmation page, opened from the e-mail, showed the secret instead of the frame.
 *
 * @throws `ABORTED`, `BUNDLE_INJECTION_FAILED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `FRAME_TIMEOUT`,
 * `REQUEST_NOT_AUTHORIZED`, `WALLET_NOT_FOUND`.
 */
export async function exportWallet(runner: SignerRunner, parameters: ExportWalletParameters): Promise<boolean> {
  const { context } = runner
  const { session, user, send } = getActiveSession(runner)
  const { frame, publicKey, close } = await context.exportFrame.open(parameters)
  try {
    if (!isFrameKey(publicKey)) throw new ResponseInvalidError('its frame key')
    const isPhrase = session.type === 'email'
    const seal = isPhrase ? exportPhrase : exportKey
    const bundle = await send(
      (stamp, signal) => seal(context, user, publicKey, { stamp, signal }),
      'person',
      parameters.signal,
    )
    if (bundle === undefined) {
      close()
      return false
    }
    await injectBundle(frame, {
      type: isPhrase ? frameMessages.injectWalletExportBundle : frameMessages.injectKeyExportBundle,
      bundle,
      extra: { organizationId: user.orgId, ...(!isPhrase && { keyFormat: 'HEXADECIMAL' }) },
      toError: (cause) => new ExportInjectionError(cause),
    })
    return true
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Returns the signed-in user's seed phrase as JSON text, encrypted to another service's key. This page cannot decrypt
 * it.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED`, `WALLET_NOT_FOUND`.
 */
export async function sealWallet(
  runner: SignerRunner,
  { targetPublicKey, signal }: SealWalletParameters,
): Promise<string> {
  const { user, send } = getActiveSession(runner)
  const bundle = await send(
    (stamp, either) => exportPhrase(runner.context, user, targetPublicKey, { stamp, signal: either }),
    'person',
    signal,
  )
  if (bundle === undefined) throw new SealRefusedError()
  return bundle
}

type By = { stamp: Stamper; signal: AbortSignal }

async function exportPhrase(
  context: SignerContext,
  user: User,
  targetPublicKey: string,
  by: By,
): Promise<string | undefined> {
  const walletId = await findWallet(context, user, by)
  const parameters: ExportWalletActivity = { walletId, targetPublicKey }
  const call = activity('exportWallet', user.orgId, parameters)
  return readBundle(await context.custodyApi.submit(call, by.stamp, by.signal))
}

async function exportKey(
  { custodyApi }: SignerContext,
  { orgId, address }: User,
  targetPublicKey: string,
  by: By,
): Promise<string | undefined> {
  const parameters: ExportWalletAccountParameters = { address, targetPublicKey }
  const call = activity('exportWalletAccount', orgId, parameters)
  return readBundle(await custodyApi.submit(call, by.stamp, by.signal))
}

/**
 * Finds the wallet that contains the user's address and returns its id. Reads the accounts of one wallet after another.
 */
async function findWallet({ custodyApi }: SignerContext, { orgId, address }: User, by: By): Promise<string> {
  const query = (path: string, body: ListWalletsRequest | ListWalletAccountsRequest) =>
    custodyApi.query(path, body, by.stamp, by.signal)
  const wallets = await query(custodyPaths.listWallets, { organizationId: orgId })
  for (const walletId of readList(wallets, 'wallets', 'walletId')) {
    const accounts = await query(custodyPaths.listWalletAccounts, { organizationId: orgId, walletId })
    const addresses = readList(accounts, 'accounts', 'address')
    if (addresses.some((one) => one.toLowerCase() === address.toLowerCase())) return walletId
  }
  throw new WalletNotFoundError(address)
}

function readList(response: unknown, list: 'wallets' | 'accounts', member: 'walletId' | 'address'): string[] {
  const entries = (response as Partial<Record<string, unknown>> | null)?.[list]
  const values: unknown[] = Array.isArray(entries) ? entries.map((entry) => entry?.[member]) : [undefined]
  if (!values.every(isText)) throw new ResponseInvalidError(`its ${list}`)
  return values
}

/** Returns the encrypted secret; undefined if the confirmation page showed the secret. */
function readBundle(result: unknown): string | undefined {
  const bundle = (result as Partial<ExportWalletResult | ExportWalletAccountResult> | undefined)?.exportBundle
  if (result === undefined || !(bundle === undefined || typeof bundle === 'string'))
    throw new ResponseInvalidError('an export')
  return bundle
}
