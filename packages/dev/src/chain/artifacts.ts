import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, type Hex, isHex, toHex } from 'viem'
import { DevError } from '../errors.ts'
import {
  type ensureThirdParty,
  type PackageVersion,
  packageContracts,
  predeployedContracts,
} from '../thirdParty/ensureThirdParty.ts'

export type Artifact = { abi: Abi; bytecode: Hex }

const ownDir = new URL('../../artifacts/', import.meta.url)

/** Reads the artifact of one of our contracts, compiled by packages/contracts. */
export function readOwnArtifact(name: string): Artifact {
  return parse(name, readOwn(`${name}.json`))
}

/** Folder of third-party contracts; see `ensureThirdParty`. */
export type Contracts = Pick<ensureThirdParty.ReturnType, 'contracts'>

/** Reads an artifact of the `@account-abstraction/contracts` package for an EntryPoint version. */
export function readPackageArtifact<version extends PackageVersion>(
  { contracts }: Contracts,
  version: version,
  name: (typeof packageContracts)[version][number],
): Artifact {
  return parse(name, readThirdParty(join(contracts, `${name}-v${version}.json`)).toString('utf8'))
}

/** Reads the runtime code of a contract of the `hardhat-predeploy` package. */
export function readPredeployedCode({ contracts }: Contracts, address: (typeof predeployedContracts)[number]): Hex {
  return toHex(readThirdParty(join(contracts, `${address}.bytecode`)))
}

function readThirdParty(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new DevError(`The contract ${path} cannot be read.`, {
      code: 'CHILD_MISSING',
      cause,
      hint: 'Delete its folder and start again.',
    })
  }
}

/** Returns a hash that changes when any contract of the chain changes. */
export function artifactFingerprint(parts: Contracts): string {
  const hash = createHash('sha256').update(readOwn('hash'))
  for (const [version, names] of Object.entries(packageContracts))
    for (const name of names) hash.update(readThirdParty(join(parts.contracts, `${name}-v${version}.json`)))
  for (const address of predeployedContracts) hash.update(readPredeployedCode(parts, address))
  return hash.digest('hex')
}

function readOwn(file: string): string {
  try {
    return readFileSync(new URL(file, ownDir), 'utf8')
  } catch (cause) {
    throw new DevError('The contracts of the dev chain are not built.', {
      code: 'CHILD_MISSING',
      cause,
      hint: 'In the repository, run `node packages/contracts/build.mjs`; elsewhere, install latchkey-dev again.',
    })
  }
}

function parse(name: string, text: string): Artifact {
  const { abi, bytecode } = JSON.parse(text) as { abi?: unknown; bytecode?: unknown }
  if (!Array.isArray(abi) || !isHex(bytecode)) {
    throw new DevError(`The artifact of ${name} is damaged.`, {
      code: 'CONFIG_INVALID',
      hint: 'Run `npm install` again.',
    })
  }
  return { abi: abi as Abi, bytecode }
}
