import { encodeDeployData, type Hex, hexToNumber, numberToHex, parseEther } from 'viem'
import { DevError } from '../errors.ts'
import { ensureThirdParty } from '../thirdParty/ensureThirdParty.ts'
import { readOwnArtifact } from './artifacts.ts'
import { devAccountOf, devAccounts } from './devAccounts.ts'
import { type DevAddresses, devAddresses } from './devAddresses.ts'
import { devClient } from './devClient.ts'
import { constructAt, placements, placePaymaster, placeSimpleAccountFactory } from './placeContracts.ts'
import { type EntryPointVersion, placeEntryPoint, placeSimple7702Account } from './placeEntryPoint.ts'
import { rpc } from './rpc.ts'

export declare namespace prepareChain {
  type Parameters = {
    rpcUrl: string
    /** Cache folder of third-party contracts; see `ensureThirdParty`. */
    cacheDir: string
  }
  type ReturnType = DevAddresses
  type ErrorType = DevError
}

/**
 * Prepares a running anvil, or a node with anvil's methods, for the devnet. Places missing contracts, funds the dev
 * accounts, and stakes and deposits for the paymasters. Idempotent.
 *
 * @throws `PUBLIC_CHAIN_REFUSED` for the id of a public network unless the node reports that it is anvil,
 * `CONFIG_INVALID`
 */
export async function prepareChain({ rpcUrl, cacheDir }: prepareChain.Parameters): Promise<prepareChain.ReturnType> {
  const chainId = hexToNumber(await rpc<Hex>({ url: rpcUrl, method: 'eth_chainId' }))
  await refuseForeignNode(rpcUrl, chainId)
  await fundAccounts(rpcUrl)

  const client = devClient({ rpcUrl, chainId, privateKey: devAccountOf.paymasterOwner.privateKey })
  const { contracts } = await ensureThirdParty({ cacheDir })
  const place = { client, rpcUrl, contracts }
  const versions = Object.keys(devAddresses.entryPoints) as EntryPointVersion[]
  for (const version of versions) await placeEntryPoint({ ...place, version })
  await placeSimple7702Account(place)
  for (const { contract, address, args } of placements) {
    if (await client.read.getCode({ address })) continue
    const { abi, bytecode } = readOwnArtifact(contract)
    const known = typeof args === 'function' ? await args(client.read) : args
    await constructAt({ ...place, address, initCode: encodeDeployData({ abi, bytecode, args: known }) })
  }
  for (const version of versions) await placePaymaster({ ...place, kind: 'latchkey', version })
  for (const version of ['0.6.0', '0.7.0'] as const) {
    await placeSimpleAccountFactory({ ...place, version })
    await placePaymaster({ ...place, kind: 'sample', version })
  }
  return devAddresses
}

async function refuseForeignNode(rpcUrl: string, chainId: number): Promise<void> {
  const version = await rpc<string>({ url: rpcUrl, method: 'web3_clientVersion' })
  if (version.startsWith('anvil/')) return
  if (chainId !== 1337 && chainId !== 31337 && (await isPublic(chainId))) {
    throw new DevError(`Chain id ${chainId} is a public network's, and the node there is not anvil but ${version}.`, {
      code: 'PUBLIC_CHAIN_REFUSED',
      hint: 'Give --rpc-url the URL of an anvil; `anvil --fork-url URL` makes a private copy of a public network.',
    })
  }
  try {
    await rpc({ url: rpcUrl, method: 'anvil_nodeInfo' })
  } catch (cause) {
    throw new DevError(`The node of chain ${chainId} (${version}) has no anvil methods.`, {
      code: 'CONFIG_INVALID',
      cause,
      hint: 'Give --rpc-url the URL of an anvil.',
    })
  }
}

/** Checks whether viem knows the chain id. Imports viem's long list of chains only for nodes other than anvil. */
async function isPublic(chainId: number): Promise<boolean> {
  const chains = await import('viem/chains')
  return Object.values(chains).some((chain) => 'id' in chain && chain.id === chainId)
}

async function fundAccounts(rpcUrl: string): Promise<void> {
  for (const { address } of devAccounts) {
    // On a fork of a public network, these well-known accounts are delegated to code that sends all ether away
    // (EIP-7702).
    const code = await rpc<Hex>({ url: rpcUrl, method: 'eth_getCode', params: [address, 'latest'] })
    if (code !== '0x') await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, '0x'] })
    const balance = BigInt(await rpc<Hex>({ url: rpcUrl, method: 'eth_getBalance', params: [address, 'latest'] }))
    if (balance >= parseEther('1000')) continue
    await rpc({
      url: rpcUrl,
      method: 'anvil_setBalance',
      params: [address, numberToHex(parseEther('10000'))],
    })
  }
}
