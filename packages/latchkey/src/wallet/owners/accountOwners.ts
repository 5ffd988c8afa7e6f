import type { Address } from 'viem'
import { toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'
import type { OwnerParameter } from '../../accounts/owner.ts'
import { isPasskey } from '../../accounts/owners/passkeyPoint.ts'
import { readAccountOwners } from '../../accounts/owners/readAccountOwners.ts'
import { type RotationProgress, rotateOwner } from '../../accounts/owners/rotateOwner.ts'
import type { AccountOwner } from '../../accounts/owners/types.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { requirePage } from '../actions/account.ts'
import { accountChunk } from '../chunks.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { MiddlewareConfig } from '../middleware/types.ts'
import { chainNotFound } from '../store/createCoreStore.ts'
import { matchesAccount } from '../store/matchesAccount.ts'
import type { AccountConfig, AccountType, ChainConnection, LatchkeyConfig } from '../store/types.ts'
import { addCredentialIds, rememberPasskey } from './ownerPasskeys.ts'
import { dropOwnerPlan, type OwnerPlan, readOwnerPlan, storeOwnerPlan } from './ownerPlan.ts'

/** The account on one of the config's chains, with its owners. */
export type ChainOwners = {
  chainId: number
  /** Name of the chain. */
  name: string
  address: Address
  /**
   * Whether the account is deployed. Before the deployment, `owners` are the owners that the account will be created
   * with.
   */
  isDeployed: boolean
  /** Whether the account can have only one owner. A new owner then replaces the current one. */
  isSingle: boolean
  owners: readonly AccountOwner[]
}

export type AccountSelection = {
  type: AccountType
  /** @default parameters of an earlier visit, otherwise the default values */
  accountParams?: AccountConfig | undefined
  /** Chain ids. @default all chains of the config */
  chains?: readonly number[] | undefined
}

type Opened = { account: LatchkeyAccount; connection: ChainConnection }

/**
 * Creates the account object on each chain, with the signed-in user as the signer. On a chain without saved parameters,
 * those of the active chain apply, such as the account's address.
 */
async function openAccounts(
  { type, accountParams, chains }: AccountSelection,
  config: LatchkeyConfig,
): Promise<Opened[]> {
  requirePage(config, 'account')
  const { signer, signerStatus, accountConfigs } = config.clientStore.getState()
  if (!signer || !signerStatus.isConnected) {
    throw new BaseError('Signer not connected', {
      code: 'SIGNER_NOT_CONNECTED',
      metaMessages: ['Sign in first.'],
    })
  }
  const { chain: active, connections } = config.coreStore.getState()
  const { makeAccount } = await accountChunk.load()
  return Promise.all(
    (chains ?? [...connections.keys()]).map(async (chainId) => {
      const connection = connections.get(chainId)
      if (!connection) throw chainNotFound({ id: chainId, name: 'unknown' })
      const known = [chainId, active.id].map((id) => accountConfigs[id]?.[type])
      const saved = known.find((params) => params && matchesAccount(accountParams, params))
      const params = { ...accountParams, ...saved }
      const { chain } = connection
      // Without an outbox: only the active chain's account resumes pending operations, with its own client.
      const account = await makeAccount(type, { signer, params, chain, connection, outbox: false })
      return { account, connection }
    }),
  )
}

export async function readOwnersOnChains(selection: AccountSelection, config: LatchkeyConfig): Promise<ChainOwners[]> {
  const opened = await openAccounts(selection, config)
  return Promise.all(
    opened.map(async ({ account, connection: { chain } }) => ({
      chainId: chain.id,
      name: chain.name,
      address: account.address,
      ...(await readOwnersOf(account, config)),
    })),
  )
}

async function readOwnersOf(account: LatchkeyAccount, config: LatchkeyConfig) {
  const { owners, ...rest } = await readAccountOwners({ account })
  return { ...rest, owners: addCredentialIds(config, owners) }
}

export type RotationParameters = AccountSelection &
  MiddlewareConfig & {
    /** New owner. @default the passkey of the stored rotation */
    to?: OwnerParameter | WebAuthnAccount | undefined
    keep?: 'all' | readonly Address[] | undefined
    allowSinglePasskey?: boolean | undefined
    onProgress?: ((progress: RotationProgress) => void) | undefined
  }

export async function rotateOnChains(parameters: RotationParameters, config: LatchkeyConfig): rotateOwner.ReturnType {
  const { type, accountParams, chains, to, keep, allowSinglePasskey, onProgress, ...middleware } = parameters
  const plan = to ? null : readOwnerPlan(config)
  const opened = await openAccounts({ type, accountParams, chains: chains ?? plan?.chains }, config)
  const accounts = opened.map(({ account }) => account)
  const [first] = accounts
  const owner = to ?? (plan?.address === first?.address ? readStoredPasskey(plan, config) : undefined)
  if (!owner) {
    throw new BaseError('There is no owner to give the account to.', {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass `to`: a passkey of `toWebAuthnAccount`, or any other owner.'],
    })
  }
  const rules = {
    keep: keep ?? plan?.keep ?? 'all',
    allowSinglePasskey: allowSinglePasskey ?? plan?.allowSinglePasskey ?? false,
  } as const
  const { withStore } = await accountChunk.load()
  const outbox = withStore(config._internal.outbox)
  const connect = (account: LatchkeyAccount) => {
    const connection = opened.find((one) => one.connection.chain.id === account.client.chain?.id)?.connection
    return createSmartAccountClient({ ...middleware, account, connection, outbox })
  }
  const begin = () => {
    if (!first || !isPasskey(owner)) return
    const passkey = { id: owner.id, publicKey: owner.publicKey }
    rememberPasskey(config, passkey)
    const ids = opened.map(({ connection }) => connection.chain.id)
    storeOwnerPlan(config, { ...rules, type, address: first.address, chains: ids, passkey })
  }
  let hasBegun = false
  const result = await rotateOwner({
    ...rules,
    accounts,
    to: owner,
    connect,
    onProgress(progress) {
      // Stores the plan at the first step, so that a rotation that fails the checks leaves no plan.
      if (!hasBegun) begin()
      hasBegun = true
      onProgress?.(progress)
    },
  })
  dropOwnerPlan(config)
  return result
}

function readStoredPasskey(plan: OwnerPlan | null, config: LatchkeyConfig): WebAuthnAccount | undefined {
  if (!plan) return undefined
  return toWebAuthnAccount({ credential: plan.passkey, rpId: config.clientStore.getState().config.rpId })
}
