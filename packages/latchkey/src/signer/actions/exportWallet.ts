import {
  custodyPaths,
  type ExportWalletAccountResult,
  type ExportWalletResult,
  type ListWalletAccountsResponse,
  type ListWalletsResponse,
} from '../../wire/custody.ts'
import {
  exportWalletAccountBody,
  exportWalletBody,
  listWalletAccountsBody,
  listWalletsBody,
} from '../custody/bodies.ts'
import type { Stamper } from '../custody/createCustodyClient.ts'
import { responseInvalidError, walletNotFoundError } from '../errors.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import type { ExportWalletParameters, User } from '../types.ts'
import { getSession } from './getSession.ts'

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
  const stamp = stamperOf(context, session)
  const { user } = session
  const frame = await context.exportFrame.open(parameters)
  try {
    const isPhrase = session.type === 'email'
    const bundle = isPhrase
      ? await exportPhrase(context, user, frame.publicKey, stamp)
      : await sendInTurn(context, session, () => exportKey(context, user, frame.publicKey, stamp))
    await frame.inject(isPhrase ? 'wallet' : 'key', bundle, user.orgId)
    return true
  } catch (error) {
    frame.close()
    throw error
  }
}

async function exportPhrase(context: SignerContext, user: User, targetPublicKey: string, stamp: Stamper) {
  const walletId = await findWallet(context, user, stamp)
  const body = exportWalletBody({ orgId: user.orgId, walletId, targetPublicKey, timestampMs: context.now() })
  const request = { path: custodyPaths.exportWallet, body, resultKey: 'exportWalletResult' }
  return bundleOf(await context.custody.submit(request, stamp))
}

async function exportKey(context: SignerContext, user: User, targetPublicKey: string, stamp: Stamper) {
  const { orgId, address } = user
  const body = exportWalletAccountBody({ orgId, address, targetPublicKey, timestampMs: context.now() })
  const request = { path: custodyPaths.exportWalletAccount, body, resultKey: 'exportWalletAccountResult' }
  return bundleOf(await context.custody.submit(request, stamp))
}

/** The wallet of the user's address: each is asked for its accounts, in their order. */
async function findWallet({ custody }: SignerContext, { orgId, address }: User, stamp: Stamper): Promise<string> {
  const listed = await custody.query(custodyPaths.listWallets, listWalletsBody(orgId), stamp)
  const { wallets } = listed as Partial<ListWalletsResponse>
  if (!Array.isArray(wallets)) throw responseInvalidError('its wallets')
  for (const { walletId } of wallets) {
    const answer = await custody.query(custodyPaths.listWalletAccounts, listWalletAccountsBody(orgId, walletId), stamp)
    const { accounts } = answer as Partial<ListWalletAccountsResponse>
    if (!Array.isArray(accounts)) throw responseInvalidError('the accounts of a wallet')
    if (accounts.some((account) => account.address.toLowerCase() === address.toLowerCase())) return walletId
  }
  throw walletNotFoundError(address)
}

function bundleOf(result: unknown): string {
  const bundle = (result as Partial<ExportWalletResult | ExportWalletAccountResult> | undefined)?.exportBundle
  if (typeof bundle !== 'string') throw responseInvalidError('an export')
  return bundle
}
