import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, type Hex, isHex } from 'viem'
import { DevError } from '../errors.ts'

export type Artifact = { abi: Abi; bytecode: Hex }

const require = createRequire(import.meta.url)
const ownDir = new URL('../../artifacts/', import.meta.url)

/** Reads one of our own contracts, compiled by packages/contracts. */
export function readOwnArtifact(name: string): Artifact {
  return parse(name, readOwn(`${name}.json`))
}

/** Third-party contracts of the dev chain. */
const packageContracts = ['EntryPoint', 'SimpleAccountFactory', 'VerifyingPaymaster'] as const

/**
 * Reads a contract of the `@account-abstraction/contracts` package of that entry point version from the installed
 * package. It is never copied into ours: those sources are under the GPL.
 */
export function readPackageArtifact(version: '06' | '07', name: (typeof packageContracts)[number]): Artifact {
  const path = `@account-abstraction/contracts-v${version}/artifacts/${name}.json`
  try {
    return parse(name, readFileSync(require.resolve(path), 'utf8'))
  } catch (cause) {
    if (cause instanceof DevError) throw cause
    throw new DevError(`The contract ${name} of ${path} cannot be read.`, {
      code: 'CHILD_MISSING',
      cause,
      hint: 'Run `npm install` again.',
    })
  }
}

/** Changes when any contract of the chain changes. */
export function artifactFingerprint(): string {
  const hash = createHash('sha256').update(readOwn('hash'))
  for (const version of ['06', '07'] as const) {
    for (const name of packageContracts) hash.update(readPackageArtifact(version, name).bytecode)
  }
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
