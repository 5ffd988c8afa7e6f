import { custodyPaths, type ExportWalletAccountResult, type ExportWalletResult } from '../../wire/custody.ts'
import {
  exportWalletAccountBody,
  exportWalletBody,
  listWalletAccountsBody,
  listWalletsBody,
} from '../custody/bodies.ts'
import type { Stamper } from '../custody/createCustodyClient.ts'
import { ResponseInvalidError, WalletNotFoundError } from '../errors/custodyErrors.ts'
import { isText } from '../isText.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { strongStamperOf } from '../passkey/strongStamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'
import type { ExportWalletParameters, User } from '../types.ts'

/**
 * Shows the user their secret in the export frame, which alone can open it: the seed phrase in an e-mail session, the
 * private key in a passkey session. The frame stays until the session ends, the next export or `destroy`.
 */
export async function exportWallet(
  context: SignerContext,
  runner: SignerRunner,
  parameters: ExportWalletParameters,
): Promise<boolean> {
  const session = getSession(context, runner)
  const stamp = strongStamperOf(context, session)
  const { user } = session
  const signal = context.scope.signal()
  const frame = await context.exportFrame.open(parameters)
  try {
    const isPhrase = session.type === 'email'
    const bundle = isPhrase
      ? await exportPhrase(context, user, frame.publicKey, { stamp, signal })
      : await sendInTurn(context, session, () => exportKey(context, user, frame.publicKey, { stamp, signal }))
    await frame.inject(isPhrase ? 'wallet' : 'key', bundle, user.orgId)
    return true
  } catch (error) {
    frame.close()
    throw error
  }
}

type By = { stamp: Stamper; signal: AbortSignal }

async function exportPhrase(context: SignerContext, user: User, targetPublicKey: string, by: By) {
  const { orgId } = user
  const walletId = await findWallet(context, user, by)
  const body = (timestampMs: number) => exportWalletBody({ orgId, walletId, targetPublicKey, timestampMs })
  const call = { path: custodyPaths.exportWallet, body, resultKey: 'exportWalletResult' }
  return bundleOf(await context.custody.submit(call, by.stamp, by.signal))
}

async function exportKey(context: SignerContext, { orgId, address }: User, targetPublicKey: string, by: By) {
  const body = (timestampMs: number) => exportWalletAccountBody({ orgId, address, targetPublicKey, timestampMs })
  const call = { path: custodyPaths.exportWalletAccount, body, resultKey: 'exportWalletAccountResult' }
  return bundleOf(await context.custody.submit(call, by.stamp, by.signal))
}

/** The wallet of the user's address: each is asked for its accounts, in their order. */
async function findWallet({ custody }: SignerContext, { orgId, address }: User, by: By): Promise<string> {
  const ask = (path: string, body: string) => custody.query(path, body, by.stamp, by.signal)
  for (const walletId of listed(await ask(custodyPaths.listWallets, listWalletsBody(orgId)), 'wallets', 'walletId')) {
    const answer = await ask(custodyPaths.listWalletAccounts, listWalletAccountsBody(orgId, walletId))
    const addresses = listed(answer, 'accounts', 'address')
    if (addresses.some((one) => one.toLowerCase() === address.toLowerCase())) return walletId
  }
  throw new WalletNotFoundError(address)
}

/** One member of each entry of a list that was answered. */
function listed(answer: unknown, list: 'wallets' | 'accounts', member: 'walletId' | 'address'): string[] {
  const entries = (answer as Partial<Record<string, unknown>> | null)?.[list]
  const values: unknown[] = Array.isArray(entries) ? entries.map((entry) => entry?.[member]) : [undefined]
  if (!values.every(isText)) throw new ResponseInvalidError(`its ${list}`)
  return values
}

function bundleOf(result: unknown): string {
  const bundle = (result as Partial<ExportWalletResult | ExportWalletAccountResult> | undefined)?.exportBundle
  if (typeof bundle !== 'string') throw new ResponseInvalidError('an export')
  return bundle
}
