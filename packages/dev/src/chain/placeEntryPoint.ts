import { concat, getCreate2Address, type Hex, keccak256 } from 'viem'
import { DevError } from '../errors.ts'
import { type Contracts, readPackageArtifact, readPredeployedCode } from './artifacts.ts'
import { devAddresses } from './devAddresses.ts'
import type { devClient } from './devClient.ts'
import { rpc } from './rpc.ts'

export type EntryPointVersion = keyof typeof devAddresses.entryPoints

export declare namespace placeEntryPoint {
  type Parameters = Contracts & { client: devClient.ReturnType; rpcUrl: string; version: EntryPointVersion }
}

/** Salts with which the packages' creation code gets the addresses of public chains. */
const salts = {
  '0.6.0': { package: '06', salt: '0x0000000000000000000000000000000000000000000000000000000000000000' },
  '0.7.0': { package: '07', salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3' },
  '0.8.0': { package: '08', salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9' },
} as const

/** Hashes of runtime code. The package of EntryPoint 0.9 and its SenderCreator contains no creation code. */
const codeHashes = {
  '0x0A630a99Df908A81115A3022927Be82f9299987e': '0xa7d4dd260bca9c96da49f7c0682fdda7f0074694d935815a336d3e60ee3ec6ad',
  '0x433709009B8330FDa32311DF1C2AFA402eD8D009': '0x14ee3fe0191de027aecf20ffd7dbd985f5023b898fa429485d2dfe2286b42750',
} as const

/** Places an EntryPoint (ERC-4337) at its canonical address, unless it exists. */
export async function placeEntryPoint({ version, ...place }: placeEntryPoint.Parameters): Promise<void> {
  const address = devAddresses.entryPoints[version]
  if (await place.client.read.getCode({ address })) return
  if (version === '0.9.0') return placeRuntimeCode(place)
  const source = salts[version]
  const { bytecode } = readPackageArtifact(place, source.package, 'EntryPoint')
  await deploy(place, { bytecode, salt: source.salt, address })
}

/** Deploys viem's default EIP-7702 account for EntryPoint 0.8, unless it exists. */
export async function placeSimple7702Account(place: Place): Promise<void> {
  const address = devAddresses.simple7702Accounts['0.8.0']
  if (await place.client.read.getCode({ address })) return
  const { bytecode } = readPackageArtifact(place, '08', 'Simple7702Account')
  await deploy(place, { bytecode, salt: salts['0.6.0'].salt, address })
}

type Place = Omit<placeEntryPoint.Parameters, 'version'>

/** CREATE2 deployer at its address on every chain. anvil predeploys it. */
const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

async function deploy(
  { client, contracts }: Place,
  { bytecode, salt, address }: { bytecode: Hex; salt: Hex; address: Hex },
): Promise<void> {
  if (getCreate2Address({ from: deployer, salt, bytecode }) !== address) throw otherCode(address, contracts)
  if (!(await client.read.getCode({ address: deployer }))) {
    throw new DevError(`The node has no CREATE2 deployer at ${deployer}.`, {
      code: 'CONFIG_INVALID',
      hint: 'Start anvil without --disable-default-create2-deployer.',
    })
  }
  await client.transact({ to: deployer, data: concat([salt, bytecode]), gas: 15_000_000n })
}

/** Sets runtime code without running the constructors, which would not write to storage. */
async function placeRuntimeCode({ contracts, rpcUrl }: Place): Promise<void> {
  for (const [address, hash] of Object.entries(codeHashes) as [keyof typeof codeHashes, Hex][]) {
    const code = readPredeployedCode({ contracts }, address)
    if (keccak256(code) !== hash) throw otherCode(address, contracts)
    await rpc({ url: rpcUrl, method: 'anvil_setCode', params: [address, code] })
    // A new contract has nonce 1 (EIP-161).
    await rpc({ url: rpcUrl, method: 'anvil_setNonce', params: [address, '0x1'] })
  }
}

function otherCode(address: Hex, contracts: string): DevError {
  return new DevError(`The installed contract is not the one of ${address}.`, {
    code: 'CONFIG_INVALID',
    hint: `Delete ${contracts} and start again.`,
  })
}
