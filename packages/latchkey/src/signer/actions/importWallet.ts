import { type Address, isAddress } from 'viem'
import { activity } from '../custody/activity.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { OpenImportFrame } from '../frame/createImportFrame.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'
import type { Session } from '../session/Session.ts'
import type { ImportWalletParameters, WalletImport } from '../types.ts'

type Target = { session: Session; secret: 'phrase' | 'key'; name: string }

const ethereumAccount = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
} as const

/**
 * Opens the import frame and gives it the key to seal the person's secret to; the frame then shows its field. The page
 * never sees what is typed: `submit` passes the sealed text on.
 */
export async function importWallet(
  context: SignerContext,
  runner: SignerRunner,
  parameters: ImportWalletParameters,
): Promise<WalletImport> {
  const session = getSession(context, runner)
  const { secret = 'phrase', name = `imported-${context.now()}` } = parameters
  const target: Target = { session, secret, name }
  const frame = await context.importFrame.open(parameters)
  try {
    await frame.inject(await askForKey(context, target), session.user)
    return { submit: () => submit(context, frame, target), close: frame.close }
  } catch (error) {
    frame.close()
    throw error
  }
}

async function askForKey(context: SignerContext, { session, secret }: Target): Promise<string> {
  const { orgId, userId } = session.user
  const call = activity(secret === 'phrase' ? 'initImportWallet' : 'initImportPrivateKey', orgId, { userId })
  const result = (await send(context, session, call)) as { importBundle?: unknown } | undefined
  if (typeof result?.importBundle !== 'string') throw new ResponseInvalidError('an import')
  return result.importBundle
}

async function submit(context: SignerContext, frame: OpenImportFrame, { session, secret, name }: Target) {
  const { orgId, userId } = session.user
  const encryptedBundle = await frame.extract(secret)
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
  const addresses = readAddresses(await send(context, session, call))
  frame.close()
  return { addresses }
}

function send(context: SignerContext, session: Session, call: ReturnType<typeof activity>): Promise<unknown> {
  const stamp = stamperOf(context, session)
  return sendInTurn(context, session, () => context.custody.submit(call, stamp, context.scope.signal()))
}

/** A wallet's are plain, a key's are named by their format. */
function readAddresses(result: unknown): Address[] {
  const { addresses } = (result ?? {}) as { addresses?: unknown }
  const list = Array.isArray(addresses) ? addresses : []
  const read = list.map((entry) => (typeof entry === 'string' ? entry : (entry as { address?: unknown })?.address))
  if (read.length === 0 || !read.every((address): address is Address => isAddress(String(address)))) {
    throw new ResponseInvalidError('an import')
  }
  return read
}
