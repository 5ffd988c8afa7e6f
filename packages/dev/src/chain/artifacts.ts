import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, type Hex, isHex } from 'viem'
import { DevError } from '../errors.ts'
import { type ensureThirdParty, packageContracts, packageVersions } from '../thirdParty/ensureThirdParty.ts'

export type Artifact = { abi: Abi; bytecode: Hex }

const ownDir = new URL('../../artifacts/', import.meta.url)

/** Reads one of our own contracts, compiled by packages/contracts. */
export function readOwnArtifact(name: string): Artifact {
  return parse(name, readOwn(`${name}.json`))
}

/** Folder of third-party contracts, see `ensureThirdParty`. */
export type Contracts = Pick<ensureThirdParty.ReturnType, 'contracts'>

/** Reads a contract of the `@account-abstraction/contracts` package of that entry point version. */
export function readPackageArtifact(
  { contracts }: Contracts,
  version: (typeof packageVersions)[number],
  name: (typeof packageContracts)[number],
): Artifact {
  const path = join(contracts, `${name}-v${version}.json`)
  try {
    return parse(name, readFileSync(path, 'utf8'))
  } catch (cause) {
    if (cause instanceof DevError) throw cause
    throw new DevError(`The contract ${path} cannot be read.`, {
      code: 'CHILD_MISSING',
      cause,
      hint: 'Delete its folder and start again.',
    })
  }
}

/** Hash that changes when any contract of the chain changes. */
export function artifactFingerprint(parts: Contracts): string {
  const hash = createHash('sha256').update(readOwn('hash'))
  for (const version of packageVersions)
    for (const name of packageContracts) hash.update(readPackageArtifact(parts, version, name).bytecode)
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
