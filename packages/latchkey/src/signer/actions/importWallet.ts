import { frameMessages } from 'latchkey-protocol'
import { type Address, isAddress } from 'viem'
import type { Frame } from '../../web/platform.ts'
import { ImportInjectionError, ResponseInvalidError } from '../errors/custodyErrors.ts'
import { type ActivityCall, activity } from '../runner/api/createCustodyApi.ts'
import type { SignerContext } from '../runner/createContext.ts'
import type { OpenVisibleFrame } from '../runner/frame/createVisibleFrame.ts'
import { injectBundle } from '../runner/frame/injectBundle.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { ImportWalletParameters, WalletImport } from '../WalletImport.ts'
import { type ActiveSession, getActiveSession } from './getActiveSession.ts'

type Secret = 'phrase' | 'key'

/** Slightly longer than the frame's own timeout for the user's decision. */
const decisionMs = 610_000

export const ethereumAccount = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
} as const

/**
 * Opens the import frame and sends it the service's public key, to which the frame encrypts the user's secret. The
 * frame then shows its input field. The page cannot read the input: `submit` forwards the ciphertext. If the service
 * takes the secret on the page of an email, opens no frame, and `submit` waits for that page.
 *
 * @throws `BUNDLE_INJECTION_FAILED`, `FRAME_TIMEOUT`; `submit`: `FRAME_DECLINED`, `FRAME_FAILED`, `RESPONSE_INVALID`.
 */
export async function importWallet(runner: SignerRunner, parameters: ImportWalletParameters): Promise<WalletImport> {
  const { context } = runner
  const active = getActiveSession(runner)
  const { secret = 'phrase', name = `imported-${context.now()}` } = parameters
  const { orgId, userId } = active.user
  const { importBundle, takenBy } = await requestImportBundle(context, active, secret)
  if (takenBy === 'confirmation') {
    const wait = new AbortController()
    const submit = () => sendImport(context, active, { secret, name, signal: wait.signal })
    return { takenBy, submit, close: () => wait.abort() }
  }
  const open = await context.importFrame.open(parameters)
  try {
    await injectBundle(open.frame, {
      type: frameMessages.injectImportBundle,
      bundle: importBundle,
      extra: { organizationId: orgId, userId },
      toError: (cause) => new ImportInjectionError(cause),
    })
    return { takenBy: 'frame', submit: () => submit(context, active, open, { secret, name }), close: open.close }
  } catch (error) {
    open.close()
    throw error
  }
}

/** Requests the service's signed public key, to which the frame encrypts the secret. */
export async function requestImportBundle(
  context: SignerContext,
  active: ActiveSession,
  secret: Secret,
): Promise<InitImport> {
  const { orgId, userId } = active.user
  const call = activity(secret === 'phrase' ? 'initImportWallet' : 'initImportPrivateKey', orgId, { userId })
  const result = (await send(context, active, call)) as Partial<InitImport> | undefined
  if (typeof result?.importBundle !== 'string') throw new ResponseInvalidError('an import')
  return { ...result, importBundle: result.importBundle }
}

/** `takenBy`: `confirmation` if the page of an email takes the secret. */
type InitImport = { importBundle: string; takenBy?: unknown }

async function submit(
  context: SignerContext,
  active: ActiveSession,
  { frame, close }: OpenVisibleFrame,
  { secret, name }: { secret: Secret; name: string },
): Promise<{ addresses: Address[] }> {
  const encryptedBundle = await extractSecret(frame, secret)
  const imported = await sendImport(context, active, { secret, name, encryptedBundle })
  close()
  return imported
}

type Import = { secret: Secret; name: string; encryptedBundle?: string; signal?: AbortSignal }

/** Sends an import, and waits for its confirmation if it needs one. */
async function sendImport(
  { custodyApi }: SignerContext,
  { user, send }: ActiveSession,
  { secret, name, encryptedBundle, signal }: Import,
): Promise<{ addresses: Address[] }> {
  const { orgId, userId } = user
  const call =
    secret === 'phrase'
      ? activity('importWallet', orgId, { userId, walletName: name, encryptedBundle, accounts: [ethereumAccount] })
      : activity('importPrivateKey', orgId, {
          userId,
          privateKeyName: name,
          encryptedBundle,
          curve: ethereumAccount.curve,
          addressFormats: [ethereumAccount.addressFormat],
        })
  const result = await send((stamp, either) => custodyApi.submit(call, stamp, either), 'person', signal)
  return { addresses: readAddresses(result) }
}

/**
 * Waits until the user approves in the frame, and returns the encrypted input as JSON text for the key-custody service.
 */
async function extractSecret(frame: Frame, secret: Secret): Promise<string> {
  const sealed =
    secret === 'phrase'
      ? await frame.request(frameMessages.extractWalletEncryptedBundle, undefined, decisionMs)
      : await frame.request(frameMessages.extractKeyEncryptedBundle, undefined, decisionMs, {
          keyFormat: 'HEXADECIMAL',
        })
  if (typeof sealed !== 'string' || sealed === '') throw new ResponseInvalidError('the sealed secret')
  return sealed
}

function send({ custodyApi }: SignerContext, active: ActiveSession, call: ActivityCall): Promise<unknown> {
  return active.send((stamp, signal) => custodyApi.submit(call, stamp, signal))
}

/** Wallet imports return addresses as strings, key imports as objects with a format. */
function readAddresses(result: unknown): Address[] {
  const { addresses } = (result ?? {}) as { addresses?: unknown }
  const list = Array.isArray(addresses) ? addresses : []
  const read = list.map((entry) => (typeof entry === 'string' ? entry : (entry as { address?: unknown })?.address))
  if (read.length === 0 || !read.every((address): address is Address => isAddress(String(address)))) {
    throw new ResponseInvalidError('an import')
  }
  return read
}
