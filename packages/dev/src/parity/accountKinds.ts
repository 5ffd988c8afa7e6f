import {
  BaseError,
  getSenderAddress,
  predictLightAccountAddress,
  predictModularAccountAddress,
  predictMultiOwnerLightAccountAddress,
  type SmartAccountOwner,
  toLightAccount,
  toModularAccount,
  toMultiOwnerLightAccount,
} from 'latchkey/accounts'
import type { Address, Chain, Client, Transport } from 'viem'
import { DevError } from '../errors.ts'

type Owners = readonly [Address, ...Address[]]
type ChainClient = Client<Transport, Chain, undefined>

export type AccountKind = {
  type: 'LightAccount' | 'MultiOwnerLightAccount' | 'MultiOwnerModularAccount'
  version: string
  /** Computed without a request; undefined where the chain has no factory. */
  predict(owners: Owners, chain?: Chain): Address | undefined
  /** What the chain's factory gives. */
  ask(client: ChainClient, owners: Owners): Promise<Address>
}

const lightVersions = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const

/** Every account type and version. A LightAccount has one owner: the first of a line. */
export const accountKinds: readonly AccountKind[] = [
  ...lightVersions.map(
    (version): AccountKind => ({
      type: 'LightAccount',
      version,
      predict: ([owner], chain) => ifDeployed(() => predictLightAccountAddress({ owner, version, chain })),
      ask: async (client, [owner]) =>
        askChain(client, await toLightAccount({ client, version, owner: unsigned(owner) })),
    }),
  ),
  {
    type: 'MultiOwnerLightAccount',
    version: 'v2.0.0',
    predict: (owners, chain) => ifDeployed(() => predictMultiOwnerLightAccountAddress({ owners, chain })),
    ask: async (client, owners) =>
      askChain(client, await toMultiOwnerLightAccount({ client, owner: unsigned(owners[0]), owners: [...owners] })),
  },
  {
    type: 'MultiOwnerModularAccount',
    version: 'v1.0.0',
    predict: (owners, chain) => ifDeployed(() => predictModularAccountAddress({ owners, chain })),
    ask: async (client, owners) =>
      askChain(client, await toModularAccount({ client, owner: unsigned(owners[0]), owners: [...owners] })),
  },
]

type Made = { entryPoint: { address: Address }; getFactoryInitCode(): Promise<`0x${string}`> }

/** The entry point runs the factory, so the result does not rest on the formula. */
async function askChain(client: ChainClient, account: Made): Promise<Address> {
  const initCode = await account.getFactoryInitCode()
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

/** An owner of which only the address is known. */
function unsigned(address: Address): SmartAccountOwner {
  const refuse = () =>
    Promise.reject(new DevError('Addresses are compared without a signature.', { code: 'CONFIG_INVALID' }))
  return { signerType: 'local', getAddress: async () => address, signMessage: refuse, signTypedData: refuse }
}
