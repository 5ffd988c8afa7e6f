import {
  type AccountDescriptor,
  type AccountOwner,
  BaseError,
  type DescribedPasskey,
  type FirstOwner,
  getValidationData,
  type LatchkeyAccount,
  modularAccountV2Modules,
  readAccountOwners,
  type SmartAccountOwner,
  toPasskeyOwner,
  withOwner,
} from 'latchkey/accounts'
import {
  type Address,
  type Chain,
  type Client,
  concat,
  isAddressEqual,
  type LocalAccount,
  numberToHex,
  type Transport,
} from 'viem'
import { toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'
import { getCode } from 'viem/actions'
import { unsigned } from './accountKinds.ts'
import { CommandError } from './errors.ts'
import { makeAccount } from './makeAccount.ts'

type ChainClient = Client<Transport, Chain, undefined>

/** Passkey that owns an account, by its signer contract or by its entity id in a Modular Account v2. */
export type OwnerPasskey = Pick<DescribedPasskey, 'x' | 'y' | 'rpId' | 'credentialId'> &
  ({ signer: Address } | { entityId: number })

/** Passkey with the account that signs with it. */
export type OpenedPasskey = { described: OwnerPasskey; account: WebAuthnAccount }

/**
 * Opens a descriptor's account on the client's chain, with `owner` as its signer. Uses contract addresses only from our
 * tables, and recomputes an undeployed account's address from its owners and salt.
 *
 * @throws `CHAIN_MISMATCH`, `OWNER_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `UNSUPPORTED_ACCOUNT_TYPE`,
 * `FACTORY_NOT_FOUND`.
 */
export async function openAccount(
  client: ChainClient,
  descriptor: AccountDescriptor,
  owner: LocalAccount | OpenedPasskey,
): Promise<LatchkeyAccount> {
  const { address, entryPoint, chains } = descriptor
  if (!chains.includes(client.chain.id))
    throw new CommandError(`The node is on chain ${client.chain.id}; the account is on ${chains.join(', ')}.`, {
      code: 'CHAIN_MISMATCH',
      hint: 'Use a node of that chain, or describe the account for this one.',
    })
  const existing = await makeAccount({ ...readCreation(client, descriptor), accountAddress: address })
  if (!isAddressEqual(existing.entryPoint.address, entryPoint))
    throw new CommandError(`The descriptor names the entry point ${entryPoint}, and this account uses another.`, {
      code: 'ENTRY_POINT_NOT_FOUND',
    })
  if (await existing.isDeployed()) return signAs(client, descriptor, existing, owner)
  const account = await createAs(client, descriptor, owner)
  if (account?.address === address) return account
  throw new CommandError(
    `The account ${address} is not on this chain yet, and the key belongs to none of its owners.`,
    {
      code: 'OWNER_NOT_FOUND',
      hint: 'Use the key of an owner that the descriptor names.',
    },
  )
}

/**
 * Returns the passkeys that own the account on the chain and that the descriptor does not name, since they were added
 * later. The chain does not contain their site, so this uses `rpId`. Returns none if the owners cannot be read.
 */
export async function findPasskeys(
  client: ChainClient,
  descriptor: AccountDescriptor,
  rpId: string,
): Promise<OwnerPasskey[]> {
  const named = descriptor.owners.filter((owner) => owner.kind === 'passkey')
  const owners = await readOwners(client, descriptor).catch(() => [])
  return owners.flatMap(({ address, passkey, validation }): OwnerPasskey[] => {
    if (!passkey) return []
    const [x, y] = [numberToHex(passkey.x, { size: 32 }), numberToHex(passkey.y, { size: 32 })]
    if (named.some((one) => one.x === x && one.y === y)) return []
    return [{ x, y, rpId, ...(validation ? { entityId: validation.entityId } : { signer: address }) }]
  })
}

async function readOwners(client: ChainClient, descriptor: AccountDescriptor): Promise<readonly AccountOwner[]> {
  const creation = readCreation(client, descriptor)
  const account = await makeAccount({ ...creation, accountAddress: descriptor.address })
  return (await readAccountOwners({ account })).owners
}

/** Returns the parameters of an account as its first owners created it. Its owner cannot sign. */
function readCreation(client: ChainClient, { type, version, firstOwners, salt }: AccountDescriptor) {
  const [first] = firstOwners
  const owners = firstOwners.filter((owner) => typeof owner === 'string')
  const shared = { client, type, version, owners, salt: BigInt(salt) }
  if (typeof first === 'string') return { ...shared, owner: unsigned(first) }
  if (first) return { ...shared, owner: toPasskeyAccount(first), entityId: first.entityId }
  throw new CommandError('The descriptor names no first owner.', { code: 'OWNER_NOT_FOUND' })
}

/** Returns the account of a passkey, without its id: it names an owner and does not sign. */
const toPasskeyAccount = ({ x, y }: Pick<DescribedPasskey, 'x' | 'y'>) =>
  toWebAuthnAccount({ credential: { id: '', publicKey: concat([x, y]) } })

/** Returns the account as it will be created, if `owner` is one of its first owners. */
async function createAs(
  client: ChainClient,
  descriptor: AccountDescriptor,
  owner: LocalAccount | OpenedPasskey,
): Promise<LatchkeyAccount | undefined> {
  const { firstOwners } = descriptor
  const create = readCreation(client, descriptor)
  if (!('described' in owner)) {
    return firstOwners.includes(owner.address) ? makeAccount({ ...create, owner }) : undefined
  }
  const { described, account } = owner
  if (firstOwners.some((first) => isSamePasskey(first, described))) return makeAccount({ ...create, owner: account })
  if (!('signer' in described) || !firstOwners.includes(described.signer)) return undefined
  const signer = await toSignerContract(client, owner)
  if ((await getCode(client, { address: described.signer })) === undefined)
    throw new CommandError(`The signer contract ${described.signer} of the passkey is not on this chain yet.`, {
      code: 'OWNER_NOT_FOUND',
      hint: 'Use the key of another owner, or deploy the contract with `createSigner` of its factory first.',
    })
  return makeAccount({ ...create, owner: signer })
}

const isSamePasskey = (first: FirstOwner, { x, y }: OwnerPasskey) =>
  typeof first !== 'string' && first.x === x && first.y === y

/** Returns a deployed account with `owner` as its signer. */
async function signAs(
  client: ChainClient,
  descriptor: AccountDescriptor,
  existing: LatchkeyAccount,
  owner: LocalAccount | OpenedPasskey,
): Promise<LatchkeyAccount> {
  const initCode = await existing.getFactoryInitCode()
  const present = {
    ...readCreation(client, descriptor),
    entityId: undefined,
    accountAddress: existing.address,
    initCode,
  }
  const isModularV2 = existing.source === 'ModularAccountV2'
  if (!('described' in owner)) return isModularV2 ? asOwner(existing, owner) : makeAccount({ ...present, owner })
  const { described, account } = owner
  if ('signer' in described) {
    const { owners } = await readAccountOwners({ account: existing })
    if (!owners.some((one) => isAddressEqual(one.address, described.signer))) throw notOwnerError()
    return makeAccount({ ...present, owner: await toSignerContract(client, owner) })
  }
  const { entityId } = described
  const validation = { account: existing.address, moduleAddress: modularAccountV2Modules.webauthn, entityId }
  const { isUserOpValidation, isGlobal } = await getValidationData(client, validation)
  if (!isModularV2 || !isUserOpValidation || !isGlobal) throw notOwnerError()
  return makeAccount({ ...present, owner: account, entityId })
}

/** Selects the owner that signs. Only a Modular Account v2 needs this, because each owner has a separate entity id. */
async function asOwner(account: LatchkeyAccount, owner: LocalAccount): Promise<LatchkeyAccount> {
  return withOwner({ account, owner }).catch((cause: unknown) => {
    if (!(cause instanceof BaseError)) throw cause
    throw new CommandError(cause.shortMessage, { code: cause.code, cause, hint: 'Use the key of a present owner.' })
  })
}

/** Returns the owner that stands for a passkey. @throws `OWNER_NOT_FOUND` for another contract than the descriptor's. */
async function toSignerContract(
  client: ChainClient,
  { described, account }: OpenedPasskey,
): Promise<SmartAccountOwner> {
  const owner = await toPasskeyOwner({ client, passkey: account })
  if ('signer' in described && isAddressEqual(await owner.getAddress(), described.signer)) return owner
  throw new CommandError('The signer contract of the passkey uses verifiers that this page does not know.', {
    code: 'OWNER_NOT_FOUND',
    hint: 'Use the key of another owner.',
  })
}

const notOwnerError = () =>
  new CommandError('The passkey is no owner of the account on this chain.', {
    code: 'OWNER_NOT_FOUND',
    hint: 'Use another owner, or a descriptor that was made after the passkey was added.',
  })
