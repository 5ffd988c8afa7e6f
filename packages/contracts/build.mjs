// Compiles every contract under src/ into artifacts/<Name>.json, and copies what the dev world needs to
// ../dev/artifacts/. Nothing is done while sources, this file and the compiler are the ones of the last build.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const root = dirname(fileURLToPath(import.meta.url))
const sourceDir = join(root, 'src')
const artifactDir = join(root, 'artifacts')
const devDir = join(root, '..', 'dev', 'artifacts')

/** What the dev chain places: by contract name. */
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
  'Paymaster06',
  'Paymaster07',
]

const settings = {
  // The oldest EVM the sources need: private chains lag behind.
  evmVersion: 'paris',
  // No compiler metadata at the end of the code: the same source gives the same bytes anywhere.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}
/** Cheap to run, however long the code. */
const forSpeed = { optimizer: { enabled: true, runs: 1_000_000 } }
/** Folders that take the longer way of the compiler, whose code is cheaper still: operations run through them. */
const ways = [
  { folders: ['lightAccount', 'paymaster'], special: { viaIR: true, ...forSpeed } },
  // The modular account's code would pass the limit of EIP-170 (24,576 bytes) if speed were all.
  { folders: ['modularAccount', 'plugins'], special: { viaIR: true, optimizer: { enabled: true, runs: 500 } } },
]
const otherWay = { special: forSpeed }
const outputs = [
  'abi',
  'evm.bytecode.object',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.immutableReferences',
]

/** Warning 2018 (could be pure): the mutability is that of the published ABI. */
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
  hash.update(readFileSync(fileURLToPath(import.meta.url)))
  hash.update(readFileSync(require.resolve('solc/package.json')))
  for (const { name, content } of sources) hash.update(`\0${name}\0${content}`)
  return hash.digest('hex')
}

function isFresh(hash) {
  const stamps = [join(artifactDir, 'hash'), join(devDir, 'hash')]
  return stamps.every((path) => existsSync(path) && readFileSync(path, 'utf8') === hash)
}

async function compile(sources) {
  const { default: solc } = await import('solc')
  const findWay = ({ name }) => ways.find(({ folders }) => folders.includes(name.split('/')[0])) ?? otherWay
  return [...ways, otherWay].flatMap((way) => {
    const wanted = sources.filter((source) => findWay(source) === way)
    return compileWith(solc, sources, wanted, way.special)
  })
}

/** What `wanted` holds; `sources` is all there is to import. */
function compileWith(solc, sources, wanted, special) {
  const outputSelection = Object.fromEntries(wanted.map(({ name }) => [name, { '*': outputs }]))
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources.map(({ name, content }) => [name, { content }])),
    settings: { ...settings, ...special, outputSelection },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const problems = (output.errors ?? []).filter(({ errorCode }) => !allowedWarnings.has(errorCode))
  if (problems.length > 0) {
    console.error(problems.map(({ formattedMessage }) => formattedMessage).join('\n'))
    process.exit(1)
  }
  return Object.values(output.contracts).flatMap((file) => Object.entries(file))
}

function toArtifact({ abi, evm }) {
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
    immutableReferences: evm.deployedBytecode.immutableReferences,
  }
}

/** Written beside and renamed, so that a reader never sees a half-written folder. */
function replaceFolder(target, write) {
  const fresh = `${target}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  write(fresh)
  rmSync(target, { recursive: true, force: true })
  try {
    renameSync(fresh, target)
  } catch (error) {
    // Another build of the same sources came first: its bytes are ours.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function build() {
  const started = performance.now()
  const sources = readSources()
  const hash = hashSources(sources)
  if (isFresh(hash)) return
  const contracts = await compile(sources)
  replaceFolder(artifactDir, (folder) => {
    for (const [name, contract] of contracts) {
      // Interfaces and inlined libraries have no code to deploy; their ABI is still of use.
      writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(toArtifact(contract), null, 2)}\n`)
    }
    writeFileSync(join(folder, 'hash'), hash)
  })
  replaceFolder(devDir, (folder) => {
    for (const name of forDevChain) cpSync(join(artifactDir, `${name}.json`), join(folder, `${name}.json`))
    writeFileSync(join(folder, 'hash'), hash)
  })
  console.log(`contracts: ${contracts.length} compiled in ${Math.round(performance.now() - started)} ms`)
}

await build()
