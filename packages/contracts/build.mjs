// Compiles every contract under src/ into artifacts/<Name>.json, and writes what the devnet places to ../dev/artifacts/
// and what tests outside this package deploy to ../testkit/artifacts/. Both are committed, so that a fresh clone starts
// and tests without compiling, which takes half a minute, and a review shows changed bytecode. Compiles nothing if
// sources, settings and compiler are unchanged since the last build.
//
// --dev: compiles only if the committed artifacts do not match the sources.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const root = dirname(fileURLToPath(import.meta.url))
const sourceDir = join(root, 'src')
const artifactDir = join(root, 'artifacts')

/** Contracts that the devnet places, by name. */
const forDevChain = [
  'Demo',
  'LightAccountFactoryV1_0_1',
  'LightAccountFactoryV1_0_2',
  'LightAccountFactoryV1_1_0',
  'LightAccountFactoryV2',
  'MultiOwnerLightAccountFactory',
  'UpgradeableModularAccount',
  'MultiOwnerPlugin',
  'SessionKeyPlugin',
  'MultiOwnerModularAccountFactory',
  'AccountFactory',
  'AllowlistModule',
  'ExecutionInstallDelegate',
  'ModularAccount',
  'NativeTokenLimitModule',
  'PasskeySignerFactory',
  'PasskeyVerifier',
  'PaymasterGuardModule',
  'SemiModularAccount7702',
  'SemiModularAccount7702V1_1',
  'SemiModularAccountBytecode',
  'SemiModularAccountStorageOnly',
  'SingleSignerValidationModule',
  'TimeRangeModule',
  'WebAuthnFactory',
  'WebAuthnValidationModule',
  'Paymaster06',
  'Paymaster07',
  'Paymaster08',
  'Paymaster09',
  'Simple7702AccountV09',
]
/** The committed folders, with the contracts in each. */
const committed = [
  { folder: join(root, '..', 'dev', 'artifacts'), names: forDevChain },
  { folder: join(root, '..', 'testkit', 'artifacts'), names: ['Collection1155', 'Collection721', 'FeeToken', 'Relay'] },
]

const settings = {
  // The oldest EVM version that the sources support, since private chains lag behind.
  evmVersion: 'paris',
  // Omits compiler metadata from the code, so that the same source gives the same bytes everywhere.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}
/** Settings that optimize for execution cost, at any code size. */
const forSpeed = { optimizer: { enabled: true, runs: 1_000_000 } }
/** Settings of a slower compilation with even cheaper code, for contracts that every operation runs through. */
const viaIrForSpeed = { viaIR: true, ...forSpeed }
/**
 * Compiler settings by source folder; folders without a row use the last entry. Each row is compiled by one thread and
 * takes about equally long.
 */
const threads = [
  [
    { folders: ['lightAccount'], special: viaIrForSpeed },
    { folders: ['modules', 'owners'], special: { viaIR: true, optimizer: { enabled: true, runs: 2_000 } } },
    { folders: undefined, special: forSpeed },
  ],
  [
    { folders: ['paymaster'], special: viaIrForSpeed },
    // Optimized for speed alone, the modular account's code would exceed the limit of EIP-170 (24,576 bytes).
    { folders: ['modularAccount', 'plugins'], special: { viaIR: true, optimizer: { enabled: true, runs: 500 } } },
  ],
  [{ folders: ['modularAccountV2'], special: { viaIR: true, optimizer: { enabled: true, runs: 2_000 } } }],
]
const outputs = [
  'abi',
  'evm.bytecode.object',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.immutableReferences',
]

/** Warning 2018 (could be pure) is ignored, since the mutability must match the published ABI. */
const allowedWarnings = new Set(['2018'])

function readSources() {
  const paths = readdirSync(sourceDir, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sol'))
  return paths.sort().map((path) => ({
    name: relative(sourceDir, join(sourceDir, path)).split(sep).join('/'),
    content: readFileSync(join(sourceDir, path), 'utf8'),
  }))
}

function hashSources(sources) {
  const hash = createHash('sha256')
  hash.update(
    JSON.stringify([
      // The pinned version, since `npm start` checks the hash without the compiler.
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.solc,
      settings,
      threads,
      outputs,
      committed.map(({ names }) => names),
    ]),
  )
  for (const { name, content } of sources) hash.update(`\0${name}\0${content}`)
  return hash.digest('hex')
}

const readText = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
const readHash = (folder) => readText(join(folder, 'hash'))?.trim()

async function compile(sources) {
  const compiled = await Promise.all(threads.map((ways) => compileInThread(ways.map((way) => toInput(sources, way)))))
  const compiledFiles = compiled.flat()
  const problems = compiledFiles.flatMap(({ errors = [] }) => errors)
  const grave = problems.filter(({ errorCode }) => !allowedWarnings.has(errorCode))
  if (grave.length > 0) {
    console.error([...new Set(grave.map(({ formattedMessage }) => formattedMessage))].join('\n'))
    process.exit(1)
  }
  return compiledFiles.flatMap(({ contracts }) => Object.values(contracts).flatMap((file) => Object.entries(file)))
}

/** Returns the compiler's input for the sources with the same settings. All sources can be imported. */
function toInput(sources, way) {
  const known = threads.flat().flatMap(({ folders = [] }) => folders)
  const isOfWay = (folder) => way.folders?.includes(folder) ?? !known.includes(folder)
  const wanted = sources.filter(({ name }) => isOfWay(name.split('/')[0]))
  const outputSelection = Object.fromEntries(wanted.map(({ name }) => [name, { '*': outputs }]))
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(sources.map(({ name, content }) => [name, { content }])),
    settings: { ...settings, ...way.special, outputSelection },
  })
}

function compileInThread(inputs) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('compileThread.mjs', import.meta.url), { workerData: inputs })
    worker.once('message', resolve).once('error', reject)
  })
}

function toArtifact({ abi, evm }) {
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
    immutableReferences: evm.deployedBytecode.immutableReferences,
  }
}

/** Returns the committed files, one line per contract, so that a review shows each change as one line. */
function toCommittedFiles(contracts, names, hash) {
  const byName = new Map(contracts)
  const files = names.map((name) => {
    const { abi, bytecode } = toArtifact(byName.get(name))
    return [`${name}.json`, `${JSON.stringify({ abi, bytecode })}\n`]
  })
  return [...files, ['hash', `${hash}\n`]]
}

/** Writes a folder next to the old one and renames it, so that a reader never sees a half-written one. */
function replaceFolder(target, files) {
  const fresh = `${target}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  for (const [name, content] of files) writeFileSync(join(fresh, name), content)
  rmSync(target, { recursive: true, force: true })
  try {
    renameSync(fresh, target)
  } catch (error) {
    // Another build of the same sources finished first and wrote the same bytes.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function build() {
  const started = performance.now()
  const sources = readSources()
  const hash = hashSources(sources)
  const isFresh = committed.every(({ folder }) => readHash(folder) === hash)
  if (isFresh && (process.argv.includes('--dev') || readHash(artifactDir) === hash)) return
  const contracts = await compile(sources)
  // Interfaces and inlined libraries have no code to deploy, but their ABI is used.
  const files = contracts.map(([name, contract]) => [
    `${name}.json`,
    `${JSON.stringify(toArtifact(contract), null, 2)}\n`,
  ])
  replaceFolder(artifactDir, [...files, ['hash', `${hash}\n`]])
  const stale = committed
    .map(({ folder, names }) => ({ folder, files: toCommittedFiles(contracts, names, hash) }))
    .filter(({ folder, files }) => files.some(([name, content]) => readText(join(folder, name)) !== content))
  for (const { folder, files } of stale) replaceFolder(folder, files)
  console.log(`contracts: ${contracts.length} compiled in ${Math.round(performance.now() - started)} ms`)
  // Otherwise a fresh clone would run code that differs from the reviewed sources.
  if (stale.length === 0 || (!isFresh && !process.env.CI)) return
  for (const { folder } of stale)
    console.error(
      `packages/${relative(join(root, '..'), folder)} was not what the contracts compile to. It is now: commit it.`,
    )
  process.exitCode = 1
}

await build()
