import {
  BaseError,
  getSenderAddress,
  predictLightAccountAddress,
  predictModularAccountAddress,
  predictModularAccountV2Address,
  predictMultiOwnerLightAccountAddress,
  type SmartAccountOwner,
  toLightAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
} from 'latchkey/accounts'
import { type Address, type Chain, type Client, slice, type Transport } from 'viem'
import { getCode } from 'viem/actions'
import { CommandError } from './errors.ts'

/** Owners and salt of an account. */
export type Creation = { owners: readonly [Address, ...Address[]]; salt: bigint }

type ChainClient = Client<Transport, Chain, undefined>

export type AccountKind = {
  type: 'LightAccount' | 'MultiOwnerLightAccount' | 'MultiOwnerModularAccount' | 'ModularAccountV2'
  version: string
  /** Computes the address without a request; undefined if the chain has no factory. */
  predict(creation: Creation, chain?: Chain): Address | undefined
  /** Returns the address from the chain's factory; undefined if there is no code at the factory's address. */
  ask(client: ChainClient, creation: Creation): Promise<Address | undefined>
}

const lightVersions = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const

/**
 * Accounts of these versions always use salt 0, as in the published clients, although their factories accept any salt.
 */
const ignoresSalt = (version: string) => version === 'v1.0.1' || version === 'v1.0.2'

/** Every account type and version. LightAccount and ModularAccountV2 use only the first owner. */
export const accountKinds: readonly AccountKind[] = [
  ...lightVersions.map(
    (version): AccountKind => ({
      type: 'LightAccount',
      version,
      predict: ({ owners: [owner], salt }, chain) =>
        ifDeployed(() => predictLightAccountAddress({ owner, salt: ignoresSalt(version) ? 0n : salt, version, chain })),
      ask: async (client, { owners: [owner], salt }) =>
        askChain(client, await toLightAccount({ client, version, salt, owner: unsigned(owner) })),
    }),
  ),
  {
    type: 'MultiOwnerLightAccount',
    version: 'v2.0.0',
    predict: (creation, chain) => ifDeployed(() => predictMultiOwnerLightAccountAddress({ ...creation, chain })),
    ask: async (client, { owners, salt }) =>
      askChain(
        client,
        await toMultiOwnerLightAccount({ client, salt, owner: unsigned(owners[0]), owners: [...owners] }),
      ),
  },
  {
    type: 'MultiOwnerModularAccount',
    version: 'v1.0.0',
    predict: (creation, chain) => ifDeployed(() => predictModularAccountAddress({ ...creation, chain })),
    ask: async (client, { owners, salt }) =>
      askChain(client, await toModularAccount({ client, salt, owner: unsigned(owners[0]), owners: [...owners] })),
  },
  {
    type: 'ModularAccountV2',
    version: 'v2.0.0',
    predict: ({ owners: [owner], salt }, chain) =>
      ifDeployed(() => predictModularAccountV2Address({ owner, salt, chain })),
    ask: async (client, { owners: [owner], salt }) =>
      askChain(client, await toModularAccountV2({ client, salt, owner: unsigned(owner) })),
  },
]

type Made = { entryPoint: { address: Address }; getFactoryInitCode(): Promise<`0x${string}`> }

/** Reads the address from the chain: the entry point runs the factory, so the result does not rely on our formula. */
async function askChain(client: ChainClient, account: Made): Promise<Address | undefined> {
  const initCode = await account.getFactoryInitCode()
  if ((await getCode(client, { address: slice(initCode, 0, 20) })) === undefined) return undefined
  return getSenderAddress({ client, entryPoint: account.entryPoint.address, initCode })
}

function ifDeployed(predict: () => Address): Address | undefined {
  try {
    return predict()
  } catch (error) {
    if (error instanceof BaseError && error.code === 'FACTORY_NOT_FOUND') return undefined
    throw error
  }
}

/** Returns an owner that cannot sign, because only its address is known. */
export function unsigned(address: Address): SmartAccountOwner {
  const refuse = () =>
    Promise.reject(new CommandError('Addresses are compared without a signature.', { code: 'CONFIG_INVALID' }))
  return { signerType: 'local', getAddress: async () => address, signMessage: refuse, signTypedData: refuse }
}
