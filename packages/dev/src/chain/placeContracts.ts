import {
  type Abi,
  type AbiFunction,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  type PublicClient,
  parseAbi,
  parseEther,
} from 'viem'
import { DevError } from '../errors.ts'
import { type Contracts, readOwnArtifact, readPackageArtifact } from './artifacts.ts'
import { devAccountOf } from './devAccounts.ts'
import { devAddresses } from './devAddresses.ts'
import type { devClient } from './devClient.ts'
import { rpc } from './rpc.ts'

export type Placement = {
  /** Name of the artifact from packages/contracts/build.mjs. */
  contract: string
  address: Address
  /** Constructor arguments, or a function that reads them from contracts placed earlier. */
  args: readonly unknown[] | ((read: PublicClient) => Promise<readonly unknown[]>)
}

const {
  entryPoints,
  lightAccount,
  multiOwnerLightAccount,
  modularAccount,
  modularAccountV2,
  plugins,
  modules,
  passkeyOwners,
  simple7702Accounts,
  demo,
} = devAddresses
const entryPoint06 = entryPoints['0.6.0']
const entryPoint07 = entryPoints['0.7.0']
/** Owner of the paymasters and the factories. The owner of a factory can only stake. */
const owner = devAccountOf.paymasterOwner.address

const modularV2Args = [entryPoint07, modularAccountV2.executionInstallDelegate]

/**
 * Latchkey's contracts on the dev chain, in placement order: each follows the contracts that it calls. A light
 * account's factory also creates the implementation, whose address depends on the factory's.
 */
export const placements: readonly Placement[] = [
  { contract: 'LightAccountFactoryV1_0_1', address: lightAccount['v1.0.1'].factory, args: [entryPoint06] },
  { contract: 'LightAccountFactoryV1_0_2', address: lightAccount['v1.0.2'].factory, args: [entryPoint06] },
  { contract: 'LightAccountFactoryV1_1_0', address: lightAccount['v1.1.0'].factory, args: [entryPoint06] },
  { contract: 'LightAccountFactoryV2', address: lightAccount['v2.0.0'].factory, args: [owner, entryPoint07] },
  {
    contract: 'MultiOwnerLightAccountFactory',
    address: multiOwnerLightAccount['v2.0.0'].factory,
    args: [owner, entryPoint07],
  },
  { contract: 'UpgradeableModularAccount', address: modularAccount.implementation, args: [entryPoint06] },
  { contract: 'MultiOwnerPlugin', address: plugins.MultiOwnerPlugin, args: [] },
  { contract: 'SessionKeyPlugin', address: plugins.SessionKeyPlugin, args: [] },
  {
    contract: 'MultiOwnerModularAccountFactory',
    address: modularAccount.factory,
    args: async (read) => {
      const plugin = plugins.MultiOwnerPlugin
      return [owner, plugin, modularAccount.implementation, await hashManifest(read, plugin), entryPoint06]
    },
  },
  { contract: 'ExecutionInstallDelegate', address: modularAccountV2.executionInstallDelegate, args: [] },
  { contract: 'ModularAccount', address: modularAccountV2.implementation, args: modularV2Args },
  { contract: 'SemiModularAccountBytecode', address: modularAccountV2.semiModularBytecode, args: modularV2Args },
  { contract: 'SemiModularAccountStorageOnly', address: modularAccountV2.semiModularStorageOnly, args: modularV2Args },
  { contract: 'SemiModularAccount7702', address: modularAccountV2.semiModular7702, args: modularV2Args },
  { contract: 'SemiModularAccount7702V1_1', address: modularAccountV2.semiModular7702V1_1, args: modularV2Args },
  ...Object.entries(modules).map(([contract, address]) => ({ contract, address, args: [] })),
  {
    contract: 'AccountFactory',
    address: modularAccountV2.factory,
    args: [
      entryPoint07,
      modularAccountV2.implementation,
      modularAccountV2.semiModularBytecode,
      modules.SingleSignerValidationModule,
      modules.WebAuthnValidationModule,
      owner,
    ],
  },
  {
    contract: 'WebAuthnFactory',
    address: modularAccountV2.webAuthnFactory,
    args: [entryPoint07, modularAccountV2.implementation, modules.WebAuthnValidationModule, owner],
  },
  { contract: 'PasskeySignerFactory', address: passkeyOwners.factory, args: [] },
  { contract: 'PasskeyVerifier', address: passkeyOwners.verifier, args: [] },
  { contract: 'Simple7702AccountV09', address: simple7702Accounts['0.9.0'], args: [entryPoints['0.9.0']] },
  { contract: 'Demo', address: demo, args: [] },
]

/** Hashes a plugin's manifest like an account: over the bytes that pluginManifest() returns (ERC-6900). */
async function hashManifest(read: PublicClient, plugin: Address) {
  const { data } = await read.call({ to: plugin, data: '0xc7763130' })
  if (!data) throw new DevError(`The plugin ${plugin} has no manifest.`, { code: 'CONTRACT_REVERTED' })
  return keccak256(data)
}

export declare namespace placeSimpleAccountFactory {
  type Parameters = Contracts & { client: devClient.ReturnType; rpcUrl: string; version: keyof typeof packages }
}

/** Versions of the packages that contain a simple account factory and a sample paymaster. */
const packages = { '0.6.0': '06', '0.7.0': '07' } as const

/** Places the simple account factory at its public address, unless it exists. */
export async function placeSimpleAccountFactory(parameters: placeSimpleAccountFactory.Parameters): Promise<void> {
  const { client, rpcUrl, version } = parameters
  const address = devAddresses.simpleAccountFactories[version]
  if (await client.read.getCode({ address })) return
  const { abi, bytecode } = readPackageArtifact(parameters, packages[version], 'SimpleAccountFactory')
  const initCode = encodeDeployData({ abi, bytecode, args: [entryPoints[version]] })
  await constructAt({ client, rpcUrl, address, initCode })
}

export declare namespace placePaymaster {
  type Parameters = Contracts & {
    client: devClient.ReturnType
    rpcUrl: string
  } & (
      | {
          /** Paymaster of Latchkey, for which the devnet's gateway signs. */
          kind: 'latchkey'
          version: keyof typeof devAddresses.paymasters
        }
      | {
          /** Sample paymaster of the EntryPoint's package. */
          kind: 'sample'
          version: keyof typeof devAddresses.samplePaymasters
        }
    )
}

const paymasterAbi = parseAbi(['function addStake(uint32 unstakeDelaySec) payable'])
const entryPointAbi = parseAbi([
  'function depositTo(address account) payable',
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
])
const signer = devAccountOf.paymasterSigner.address

function describePaymaster(parameters: placePaymaster.Parameters) {
  const entryPoint = entryPoints[parameters.version]
  if (parameters.kind === 'latchkey') {
    const { version } = parameters
    return {
      address: devAddresses.paymasters[version],
      signerAbi: parseAbi(['function signer() view returns (address)']),
      readArtifact: () => readOwnArtifact(`Paymaster${version.replaceAll('.', '').slice(0, 2)}`),
      args: [owner, entryPoint, signer],
    }
  }
  const { version } = parameters
  return {
    address: devAddresses.samplePaymasters[version],
    signerAbi: parseAbi(['function verifyingSigner() view returns (address)']),
    readArtifact: () => readPackageArtifact(parameters, packages[version], 'VerifyingPaymaster'),
    args: [entryPoint, signer],
  }
}

/** Seconds for which a stake stays locked after unlocking: one day, as public bundlers require. */
const unstakeDelaySeconds = 86_400

/** Places and funds the paymaster of an EntryPoint. Account 8 is its owner, account 9 its signer. */
export async function placePaymaster(parameters: placePaymaster.Parameters): Promise<void> {
  const { client, rpcUrl, version } = parameters
  const { address, signerAbi, readArtifact, args } = describePaymaster(parameters)
  const entryPoint = entryPoints[version]
  if (!(await isSignedForByUs(client, address, signerAbi))) {
    const { abi, bytecode } = readArtifact()
    const initCode = encodeDeployData({ abi, bytecode, args })
    await constructAt({ client, rpcUrl, address, initCode })
  }
  const contract = { address: entryPoint, abi: entryPointAbi } as const
  const { deposit, stake } = await client.read.readContract({
    ...contract,
    functionName: 'getDepositInfo',
    args: [address],
  })
  if (stake < parseEther('1')) {
    const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'addStake', args: [unstakeDelaySeconds] })
    await client.transact({ to: address, data, value: parseEther('10') })
  }
  if (deposit < parseEther('10')) {
    const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'depositTo', args: [address] })
    await client.transact({ to: entryPoint, data, value: parseEther('100') })
  }
}

/**
 * Checks whether the contract at the address has the devnet's signer. A fork of a public network, or a chain of an
 * earlier version, may have another contract at that address.
 */
async function isSignedForByUs(client: devClient.ReturnType, address: Address, abi: Abi): Promise<boolean> {
  if (!(await client.read.getCode({ address }))) return false
  try {
    const [{ name }] = abi as readonly [AbiFunction]
    return (await client.read.readContract({ address, abi, functionName: name })) === signer
  } catch {
    return false
  }
}

export declare namespace constructAt {
  type Parameters = {
    client: devClient.ReturnType
    rpcUrl: string
    address: Address
    /** Creation code and encoded constructor arguments. */
    initCode: Hex
  }
}

/**
 * Places a contract at a chosen address with all effects of its constructor: immutables, storage and created contracts
 * are the same as after a deployment. Sets the creation code as the address's code and calls it; the result is the
 * contract's code. The account of `client` is the constructor's `msg.sender`.
 */
export async function constructAt({ client, rpcUrl, address, initCode }: constructAt.Parameters): Promise<void> {
  await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, initCode] })
  try {
    // A new contract has nonce 1 (EIP-161), which determines the addresses of contracts that it creates.
    await rpc({ url: rpcUrl, method: 'anvil_setNonce', params: [address, '0x1'] })
    const { data: code } = await client.read.call({ account: client.account, to: address, gas: constructorGas })
    if (!code) throw new DevError(`The constructor for ${address} returned no code.`, { code: 'CONTRACT_REVERTED' })
    await client.transact({ to: address, gas: constructorGas })
    await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, code] })
  } catch (error) {
    // Removes the creation code, which would look like a contract.
    await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, '0x'] })
    throw error
  }
}

const constructorGas = 15_000_000n
