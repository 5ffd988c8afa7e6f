import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseAbi } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { encodeUpdateOwners } from '../actions/updateOwners.ts'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { ownersOf } from '../plugins/multiOwnerPlugin.ts'
import { readOwnerAt, readOwners } from '../reads/readOwners.ts'
import type { LatchkeyAccount } from '../types.ts'
import { describeOwners, lastOwnerError, resolveAddressOwner, signAsOptions } from './addressOwners.ts'
import { modularV2Ownership } from './modularV2Ownership.ts'
import { isPasskey } from './passkeyPoint.ts'
import { encodeCreateSigner } from './toPasskeyOwner.ts'
import type { AccountOwner, NewOwner, Ownership } from './types.ts'

/** Returns the functions that change the owners of an account. @throws `UNSUPPORTED_ACCOUNT_TYPE`. */
export function ownershipOf({ source, delegation }: LatchkeyAccount): Ownership {
  const found = Object.hasOwn(ownerships, source) ? ownerships[source] : undefined
  if (found && !delegation) return found
  throw new BaseError(`The owners of this ${source} cannot be changed.`, {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: [
      delegation
        ? 'The key of a delegated address (EIP-7702) always controls it. Move the assets to another account instead.'
        : 'Pass an account of `toLightAccount`, `toMultiOwnerLightAccount`, `toModularAccount` or `toModularAccountV2`.',
    ],
  })
}

const includes = (owners: readonly Address[], { address }: NewOwner) =>
  owners.some((owner) => isAddressEqual(owner, address))
/** Returns the owner that signs: for a passkey, its signer contract. */
const signerOf = ({ given, signer }: NewOwner) => (isPasskey(given) ? signer : given)
const addressesOf = (owners: readonly AccountOwner[]) => owners.map(({ address }) => address)

/** Encodes a call of the account to itself, after the call that deploys the signer contract of a new passkey. */
async function encodeWithSigner(account: LatchkeyAccount, owner: NewOwner, data: Hex): Promise<readonly Hex[]> {
  const calls = await createSignerCalls(account, owner)
  return [await account.encodeCalls([...calls, { to: account.address, data }])]
}

/** Returns the call that deploys the signer contract of a passkey, or no call if the contract exists. */
async function createSignerCalls({ client }: LatchkeyAccount, { address, passkey }: NewOwner) {
  if (!passkey || (await client.request({ method: 'eth_getCode', params: [address, 'latest'] })) !== '0x') return []
  return [encodeCreateSigner(passkey)]
}

const transferAbi = /* @__PURE__ */ parseAbi(['function transferOwnership(address newOwner)'])

const lightOwnership: Ownership = {
  resolve: resolveAddressOwner,
  isSingle: true,
  read: async (client, address) => describeOwners(client, [await readOwnerAt(client, address)]),
  has: async (client, address, owner) => includes([await readOwnerAt(client, address)], owner),
  encodeAdd: (account, owner) => {
    const data = encodeFunctionData({ abi: transferAbi, functionName: 'transferOwnership', args: [owner.address] })
    return encodeWithSigner(account, owner, data)
  },
  encodeRemove: () => Promise.reject(lastOwnerError()),
  signAs: async (account, owner) =>
    toLightAccount({
      ...(await signAsOptions(account)),
      owner: signerOf(owner),
      version: account.version as NonNullable<toLightAccount.Parameters['version']>,
    }),
}

const multiOwnerLightOwnership: Ownership = {
  resolve: resolveAddressOwner,
  isSingle: false,
  read: async (client, address) => describeOwners(client, await readOwners(client, { address })),
  has: async (client, address, owner) => includes(await readOwners(client, { address }), owner),
  encodeAdd: (account, owner) => encodeWithSigner(account, owner, encodeUpdateOwners({ ownersToAdd: [owner.address] })),
  encodeRemove: (account, owners) =>
    account.encodeCalls([{ to: account.address, data: encodeUpdateOwners({ ownersToRemove: addressesOf(owners) }) }]),
  signAs: async (account, owner) =>
    toMultiOwnerLightAccount({ ...(await signAsOptions(account)), owner: signerOf(owner) }),
}

const modularOwnership: Ownership = {
  resolve: resolveAddressOwner,
  isSingle: false,
  read: async (client, account) => describeOwners(client, await ownersOf(client, { account })),
  has: async (client, account, owner) => includes(await ownersOf(client, { account }), owner),
  // The account calls its plugins with the operation's own call data, so this call cannot be part of a batch.
  async encodeAdd(account, owner) {
    const calls = await createSignerCalls(account, owner)
    const add = encodeUpdateOwners({ ownersToAdd: [owner.address] })
    return calls.length > 0 ? [await account.encodeCalls(calls), add] : [add]
  },
  encodeRemove: async (_, owners) => encodeUpdateOwners({ ownersToRemove: addressesOf(owners) }),
  signAs: async (account, owner) => toModularAccount({ ...(await signAsOptions(account)), owner: signerOf(owner) }),
}

const ownerships: { readonly [source: string]: Ownership } = {
  LightAccount: lightOwnership,
  MultiOwnerLightAccount: multiOwnerLightOwnership,
  MultiOwnerModularAccount: modularOwnership,
  ModularAccountV2: modularV2Ownership,
}
