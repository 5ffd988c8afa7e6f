import { concat, getCreate2Address, type Hex } from 'viem'
import { DevError } from '../errors.ts'
import { readPackageArtifact } from './artifacts.ts'
import { devAddresses } from './devAddresses.ts'
import type { devClient } from './devClient.ts'

export declare namespace placeEntryPoint {
  type Parameters = { client: devClient.ReturnType; version: keyof typeof sources }
}

/** The contract that deploys with CREATE2 at the same address on every chain; anvil has it from the start. */
const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** With these salts the code of the packages gets the addresses of public chains. */
const sources = {
  '0.6.0': { package: '06', salt: '0x0000000000000000000000000000000000000000000000000000000000000000' },
  '0.7.0': { package: '07', salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3' },
} as const

/** Deploys an entry point of ERC-4337 at its canonical address, unless it is there. */
export async function placeEntryPoint({ client, version }: placeEntryPoint.Parameters): Promise<void> {
  const address = devAddresses.entryPoints[version]
  if (await client.read.getCode({ address })) return
  const { bytecode } = readPackageArtifact(sources[version].package, 'EntryPoint')
  const salt: Hex = sources[version].salt
  if (getCreate2Address({ from: deployer, salt, bytecode }) !== address) {
    throw new DevError(`The installed entry point ${version} is not the one of ${address}.`, {
      code: 'CONFIG_INVALID',
      hint: 'Run `npm install` again.',
    })
  }
  if (!(await client.read.getCode({ address: deployer }))) {
    throw new DevError(`The node has no CREATE2 deployer at ${deployer}.`, {
      code: 'CONFIG_INVALID',
      hint: 'Start anvil without --disable-default-create2-deployer.',
    })
  }
  await client.transact({ to: deployer, data: concat([salt, bytecode]), gas: 15_000_000n })
}
