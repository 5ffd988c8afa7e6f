import { signerTypes } from 'latchkey-protocol'
import {
  type Address,
  type Chain,
  createClient,
  type Hex,
  type LocalAccount,
  type SignableMessage,
  type Transport,
  type TypedDataDefinition,
} from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { type LightAccountActions, lightAccountActions } from '../../accounts/lightAccount/lightAccountActions.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import {
  type ModularAccountActions,
  modularAccountActions,
} from '../../accounts/modularAccount/modularAccountActions.ts'
import { toModularAccount } from '../../accounts/modularAccount/toModularAccount.ts'
import {
  type ModularAccountV2Actions,
  modularAccountV2Actions,
} from '../../accounts/modularAccountV2/modularAccountV2Actions.ts'
import { toModularAccountV2 } from '../../accounts/modularAccountV2/toModularAccountV2.ts'
import { multiOwnerLightAccountActions } from '../../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
import { toMultiOwnerLightAccount } from '../../accounts/multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { SmartAccountOwner } from '../../accounts/owner.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { getPaymasterAddress } from '../../core/chains/getPaymasterAddress.ts'
import { createBundlerClient } from '../client/createBundlerClient.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import { rpcTransport } from '../client/rpcTransport.ts'
import type { BundlerClient, Connection, SmartAccountClient } from '../client/types.ts'

// Functions with the names and parameters of the published SDK. Each calls Latchkey's own function.

/** Owner type of the published SDK's accounts. */
export type SmartAccountSigner<inner = unknown> = {
  readonly signerType: string
  readonly inner: inner
  getAddress(): Promise<Address>
  signMessage(message: SignableMessage): Promise<Hex>
  signTypedData(definition: TypedDataDefinition): Promise<Hex>
}

/**
 * Signs with a local key, for scripts and tests.
 *
 * @example
 * ```ts
 * import { LocalAccountSigner } from 'latchkey/compat'
 * import { generatePrivateKey } from 'viem/accounts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * console.log(await signer.getAddress())
 * ```
 */
export class LocalAccountSigner<inner extends LocalAccount = LocalAccount> implements SmartAccountSigner<inner> {
  readonly signerType = signerTypes.local
  readonly inner: inner

  constructor(inner: inner) {
    this.inner = inner
  }

  static privateKeyToAccountSigner(privateKey: Hex): LocalAccountSigner {
    return new LocalAccountSigner(privateKeyToAccount(privateKey))
  }

  static mnemonicToAccountSigner(mnemonic: string): LocalAccountSigner {
    return new LocalAccountSigner(mnemonicToAccount(mnemonic))
  }

  async getAddress(): Promise<Address> {
    return this.inner.address
  }

  signMessage(message: SignableMessage): Promise<Hex> {
    return this.inner.signMessage({ message })
  }

  signTypedData(definition: TypedDataDefinition): Promise<Hex> {
    return this.inner.signTypedData(definition)
  }
}

type ConnectionMembers = Connection & { chain: Chain }

/** Parameters of `createSmartAccountClient`, with the connection's members at the same level. */
export type AlchemySmartAccountClientConfig<account extends LatchkeyAccount = LatchkeyAccount> = ConnectionMembers &
  Omit<createSmartAccountClient.Parameters<account>, 'connection' | 'chain' | 'transport'>

/**
 * Calls `createSmartAccountClient` with the published SDK's parameters.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_MISMATCH`, `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createAlchemySmartAccountClient } from 'latchkey/compat'
 * import { account, chain } from './config.ts'
 *
 * const client = createAlchemySmartAccountClient({ account, chain, apiKey: 'latchkey-dev' })
 * ```
 */
export function createAlchemySmartAccountClient<account extends LatchkeyAccount>(
  config: AlchemySmartAccountClientConfig<account>,
): SmartAccountClient<account> {
  const { apiKey, jwt, rpcUrl, ...options } = config
  return createSmartAccountClient({ ...options, connection: { apiKey, jwt, rpcUrl } })
}

/**
 * Calls `createBundlerClient` with the published SDK's parameters.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createAlchemyPublicRpcClient } from 'latchkey/compat'
 * import { chain } from './config.ts'
 *
 * const client = createAlchemyPublicRpcClient({ chain, connectionConfig: { apiKey: 'latchkey-dev' } })
 * ```
 */
export function createAlchemyPublicRpcClient(config: { chain: Chain; connectionConfig: Connection }): BundlerClient {
  return createBundlerClient({ chain: config.chain, connection: config.connectionConfig })
}

/**
 * Defines a chain that uses the provider's JSON-RPC service.
 *
 * @example
 * ```ts
 * import { defineAlchemyChain } from 'latchkey/compat'
 * import { sepolia } from 'viem/chains'
 *
 * const chain = defineAlchemyChain({ chain: sepolia, rpcBaseUrl: 'https://rpc.example.com/v2' })
 * ```
 */
export function defineAlchemyChain(parameters: { chain: Chain; rpcBaseUrl: string }): Chain {
  const { chain, rpcBaseUrl } = parameters
  return { ...chain, rpcUrls: { ...chain.rpcUrls, alchemy: { http: [rpcBaseUrl] } } }
}

/**
 * Returns the address of the provider's paymaster on a chain.
 *
 * @throws `CHAIN_UNSUPPORTED`.
 *
 * @example
 * ```ts
 * import { getAlchemyPaymasterAddress } from 'latchkey/compat'
 * import { sepolia } from 'viem/chains'
 *
 * const address = getAlchemyPaymasterAddress(sepolia)
 * ```
 */
export function getAlchemyPaymasterAddress(chain: Chain): Address {
  return getPaymasterAddress({ chain, entryPointVersion: '0.6.0' })
}

type SignerMember = { signer: SmartAccountSigner }
type AccountMembers<parameters> = Omit<parameters, 'client' | 'owner'> & SignerMember
type Place = { chain: Chain; transport: Transport }

/** Parameters of `createLightAccount`. */
export type CreateLightAccountParams = AccountMembers<toLightAccount.Parameters> & Place

/**
 * Calls `toLightAccount` with the published SDK's parameters.
 *
 * @example
 * ```ts
 * import { createLightAccount, LocalAccountSigner } from 'latchkey/compat'
 * import { http } from 'viem'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const account = await createLightAccount({ chain, transport: http(), signer })
 * ```
 */
export function createLightAccount(parameters: CreateLightAccountParams): Promise<toLightAccount.ReturnType> {
  return toLightAccount(toAccountParameters(parameters))
}

/** Parameters of `createMultiOwnerLightAccount`. */
export type CreateMultiOwnerLightAccountParams = AccountMembers<toMultiOwnerLightAccount.Parameters> & Place

/**
 * Calls `toMultiOwnerLightAccount` with the published SDK's parameters.
 *
 * @example
 * ```ts
 * import { createMultiOwnerLightAccount, LocalAccountSigner } from 'latchkey/compat'
 * import { http } from 'viem'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const account = await createMultiOwnerLightAccount({ chain, transport: http(), signer })
 * ```
 */
export function createMultiOwnerLightAccount(
  parameters: CreateMultiOwnerLightAccountParams,
): Promise<toMultiOwnerLightAccount.ReturnType> {
  return toMultiOwnerLightAccount(toAccountParameters(parameters))
}

/** Parameters of `createMultiOwnerModularAccount`. */
export type CreateMultiOwnerModularAccountParams = AccountMembers<toModularAccount.Parameters> & Place

/**
 * Calls `toModularAccount` with the published SDK's parameters.
 *
 * @example
 * ```ts
 * import { createMultiOwnerModularAccount, LocalAccountSigner } from 'latchkey/compat'
 * import { http } from 'viem'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const account = await createMultiOwnerModularAccount({ chain, transport: http(), signer })
 * ```
 */
export function createMultiOwnerModularAccount(
  parameters: CreateMultiOwnerModularAccountParams,
): Promise<toModularAccount.ReturnType> {
  return toModularAccount(toAccountParameters(parameters))
}

/** Parameters of `createModularAccountV2`. */
export type CreateModularAccountV2Params = AccountMembers<toModularAccountV2.Parameters> & Place

/**
 * Calls `toModularAccountV2` with the published SDK's parameters.
 *
 * @example
 * ```ts
 * import { createModularAccountV2, LocalAccountSigner } from 'latchkey/compat'
 * import { http } from 'viem'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const account = await createModularAccountV2({ chain, transport: http(), signer })
 * ```
 */
export function createModularAccountV2(
  parameters: CreateModularAccountV2Params,
): Promise<toModularAccountV2.ReturnType> {
  return toModularAccountV2(toAccountParameters(parameters))
}

type ClientMembers = Omit<AlchemySmartAccountClientConfig, 'account'> & SignerMember

/** Parameters of `createLightAccountAlchemyClient`. */
export type AlchemyLightAccountClientConfig = ClientMembers & AccountMembers<toLightAccount.Parameters>

/**
 * Creates a LightAccount and its client in one call.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createLightAccountAlchemyClient, LocalAccountSigner } from 'latchkey/compat'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const gasManagerConfig = { policyId: 'dev-sponsor-all' }
 * const client = await createLightAccountAlchemyClient({ apiKey: 'latchkey-dev', chain, signer, gasManagerConfig })
 * ```
 */
export async function createLightAccountAlchemyClient(
  parameters: AlchemyLightAccountClientConfig,
): Promise<SmartAccountClient<toLightAccount.ReturnType, LightAccountActions>> {
  const account = await createLightAccount(withTransport(parameters))
  return createAlchemySmartAccountClient({ ...parameters, account }).extend(lightAccountActions)
}

/** Parameters of `createMultiOwnerLightAccountAlchemyClient`. */
export type AlchemyMultiOwnerLightAccountClientConfig = ClientMembers &
  AccountMembers<toMultiOwnerLightAccount.Parameters>

/**
 * Creates a MultiOwnerLightAccount and its client in one call.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createMultiOwnerLightAccountAlchemyClient, LocalAccountSigner } from 'latchkey/compat'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const client = await createMultiOwnerLightAccountAlchemyClient({ apiKey: 'latchkey-dev', chain, signer })
 * ```
 */
export async function createMultiOwnerLightAccountAlchemyClient(
  parameters: AlchemyMultiOwnerLightAccountClientConfig,
): Promise<SmartAccountClient<toMultiOwnerLightAccount.ReturnType, ReturnType<typeof multiOwnerLightAccountActions>>> {
  const account = await createMultiOwnerLightAccount(withTransport(parameters))
  return createAlchemySmartAccountClient({ ...parameters, account }).extend(multiOwnerLightAccountActions)
}

/** Parameters of `createModularAccountAlchemyClient`. */
export type AlchemyModularAccountClientConfig = ClientMembers & AccountMembers<toModularAccount.Parameters>

/**
 * Creates a MultiOwnerModularAccount and its client in one call.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createModularAccountAlchemyClient, LocalAccountSigner } from 'latchkey/compat'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const client = await createModularAccountAlchemyClient({ apiKey: 'latchkey-dev', chain, signer })
 * ```
 */
export async function createModularAccountAlchemyClient(
  parameters: AlchemyModularAccountClientConfig,
): Promise<SmartAccountClient<toModularAccount.ReturnType, ModularAccountActions>> {
  const account = await createMultiOwnerModularAccount(withTransport(parameters))
  return createAlchemySmartAccountClient({ ...parameters, account }).extend(modularAccountActions)
}

/** Parameters of `createModularAccountV2Client`. */
export type ModularAccountV2ClientConfig = ClientMembers & AccountMembers<toModularAccountV2.Parameters>

/**
 * Creates a Modular Account v2 and its client in one call.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createModularAccountV2Client, LocalAccountSigner } from 'latchkey/compat'
 * import { generatePrivateKey } from 'viem/accounts'
 * import { chain } from './config.ts'
 *
 * const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
 * const client = await createModularAccountV2Client({ apiKey: 'latchkey-dev', chain, signer })
 * ```
 */
export async function createModularAccountV2Client(
  parameters: ModularAccountV2ClientConfig,
): Promise<SmartAccountClient<toModularAccountV2.ReturnType, ModularAccountV2Actions>> {
  const account = await createModularAccountV2(withTransport(parameters))
  return createAlchemySmartAccountClient({ ...parameters, account }).extend(modularAccountV2Actions)
}

/** Creates the account without retries, because the call that reads an account's address always reverts. */
function withTransport<parameters extends ClientMembers>(
  parameters: parameters,
): parameters & { transport: Transport } {
  const { apiKey, jwt, rpcUrl, signer } = parameters
  const { signerType } = signer
  return { ...parameters, transport: rpcTransport({ apiKey, jwt, rpcUrl, signerType, retryCount: 0 }) }
}

function toAccountParameters<parameters extends SignerMember & Place>(parameters: parameters) {
  const { chain, transport, signer } = parameters
  return { ...parameters, client: createClient({ chain, transport }), owner: toOwner(signer) }
}

function toOwner(signer: SmartAccountSigner): SmartAccountOwner {
  return {
    signerType: signer.signerType,
    getAddress: () => signer.getAddress(),
    signMessage: ({ message }) => signer.signMessage(message),
    signTypedData: (definition) => signer.signTypedData(definition),
  }
}
