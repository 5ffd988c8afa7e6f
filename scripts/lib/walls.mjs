import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './run.mjs'

/**
 * The walls of the house, once. Each room names the rooms it may import and the packages it may not; the project
 * references of TypeScript and the import rules of Biome are written from this list by `node scripts/walls.mjs`.
 */

const client = 'packages/latchkey/src'
const server = 'packages/server/src'
const protocol = 'packages/protocol/src'

const ours = ['@latchkey/**', 'latchkey-server', 'latchkey-dev']
const ui = ['react', 'react/**', 'react-dom', 'react-dom/**', '@tanstack/**']
const serverOnly = ['hono', 'hono/**', 'zod', 'zod/**', 'node:*']
const clientPackage = ['latchkey', 'latchkey/**']

/** Compiler options: what a room's code finds around it. */
const worker = { lib: ['es2022', 'webworker'] }
const page = { lib: ['es2022', 'dom', 'dom.iterable'] }
const node = { types: ['node'] }

/** A folder of the client. Rooms come in the order in which they may import each other: `imports` names earlier ones. */
const clientRoom = (name, imports, options, forbidden, message) => ({
  path: `${client}/${name}`,
  package: client,
  imports: [protocol, ...imports.map((room) => `${client}/${room}`)],
  options,
  forbidden,
  message,
})

/** A folder of the server. It may import `latchkey-protocol` besides. */
const serverRoom = (name, imports) => ({
  path: `${server}/${name}`,
  package: server,
  imports: [protocol, ...imports.map((room) => `${server}/${room}`)],
  options: node,
  forbidden: [...clientPackage, 'latchkey-dev', 'react', 'react-dom'],
  message: imports.includes('custody')
    ? 'The server imports latchkey-protocol, and nothing from the client.'
    : 'Only app, operations and cli import custody, the one folder that holds a plaintext key; nothing from the client but latchkey-protocol.',
})

const roles = ['custody', 'mail', 'signerApi', 'gateway', 'webhooks', 'frames', 'admin', 'console']
const exportsMessage = 'Only src/exports re-exports.'

export const rooms = [
  // Imports nothing outside its own folder, so it is not compiled against a page or a Worker either.
  {
    path: protocol,
    imports: [],
    options: {},
    forbidden: ['**', '!./*', '!../*.ts'],
    message: 'protocol imports nothing outside its own folder.',
  },
  clientRoom(
    'core',
    [],
    worker,
    [...ui, ...serverOnly, ...ours],
    'core: latchkey-protocol and viem only; it runs in a Worker.',
  ),
  clientRoom('web', ['core'], page, [...ui, ...serverOnly, ...ours], 'web: core and latchkey-protocol only.'),
  clientRoom(
    'accounts',
    ['core'],
    worker,
    [...ui, ...serverOnly, ...ours],
    'accounts: core, latchkey-protocol and viem only.',
  ),
  clientRoom(
    'signer',
    ['web', 'core'],
    worker,
    [...ui, ...serverOnly, ...ours],
    'signer: web, core, latchkey-protocol and viem only.',
  ),
  clientRoom(
    'wallet',
    ['signer', 'accounts', 'web', 'core'],
    worker,
    [...ui, ...serverOnly, ...ours],
    'wallet: never react.',
  ),
  clientRoom(
    'query',
    ['wallet', 'signer', 'accounts', 'core'],
    worker,
    [...ui, ...serverOnly, ...ours],
    'query: plain options; never TanStack Query or react.',
  ),
  clientRoom(
    'react',
    ['query', 'wallet', 'signer', 'accounts', 'core'],
    { ...page, jsx: 'react-jsx' },
    [...serverOnly, ...ours],
    'react: browser code only; it reaches the page through signer and wallet, not through web.',
  ),
  clientRoom(
    'wagmi',
    ['wallet', 'signer', 'accounts', 'core'],
    worker,
    [...ui, ...serverOnly, ...ours, 'wagmi', 'wagmi/**', '@wagmi/**'],
    'wagmi: never wagmi itself, so that our types need none of it.',
  ),
  clientRoom(
    'exports',
    ['core', 'web', 'accounts', 'signer', 'wallet', 'query', 'react', 'wagmi'],
    page,
    [],
    exportsMessage,
  ),

  // Errors, observability, cryptography, HTTP, limits and the database's schema: the base of every role.
  serverRoom('platform', []),
  serverRoom('keys', ['platform']),
  serverRoom('store', ['platform']),
  // Of custody's callers and of the console's operators.
  serverRoom('webauthn', ['platform', 'keys']),
  serverRoom('custody', ['platform', 'keys', 'store', 'webauthn']),
  serverRoom('mail', ['platform', 'keys', 'store']),
  serverRoom('signerApi', ['platform', 'keys', 'store']),
  serverRoom('gateway', ['platform', 'keys', 'store']),
  serverRoom('webhooks', ['platform', 'store']),
  serverRoom('frames', ['platform', 'store']),
  // Tests operations by the gateway's own rules, and reads its events.
  serverRoom('admin', ['platform', 'keys', 'store', 'gateway', 'webauthn']),
  // Knows of the admin API what is on the wire.
  serverRoom('console', ['platform']),
  serverRoom('app', ['platform', 'keys', 'store', ...roles]),
  // The work of commands that run beside the roles.
  serverRoom('operations', ['platform', 'keys', 'store', 'custody', 'app']),
  serverRoom('cli', ['platform', 'keys', 'store', ...roles, 'app', 'operations']),
  serverRoom('exports', ['platform', 'keys', 'store', ...roles, 'app', 'operations']),

  {
    path: 'packages/exit/src',
    imports: [protocol, `${client}/exports`],
    options: node,
    forbidden: ['react', 'react/**', '@latchkey/**', 'latchkey-server', 'latchkey-dev', 'latchkey-migrate'],
    message: 'exit: the client and its protocol alone.',
  },
  {
    path: 'packages/migrate/src',
    imports: [protocol, `${client}/exports`, 'packages/exit/src'],
    options: node,
    forbidden: ['react', 'react/**', '@latchkey/**', 'latchkey-server', 'latchkey-dev'],
    message: 'migrate: the client, its protocol and latchkey-exit alone.',
  },
  {
    path: 'packages/dev/src',
    imports: [protocol, `${server}/exports`, `${client}/exports`, 'packages/exit/src', 'packages/migrate/src'],
    options: node,
    forbidden: ['react', 'react/**', '@latchkey/**'],
    message: 'dev imports published packages only.',
  },
  {
    path: 'packages/exit/src/page',
    package: 'packages/exit/src',
    imports: ['packages/exit/src', `${client}/exports`],
    options: { ...page, emitDeclarationOnly: true },
    forbidden: ['react', 'react/**', '@latchkey/**', 'latchkey-server', 'node:*'],
    message: 'The exit page: published packages and what of exit runs in a browser.',
  },
  {
    path: 'packages/create/src',
    imports: [],
    options: node,
    forbidden: ['react', 'react/**', '@latchkey/**', 'latchkey', 'latchkey/**', 'latchkey-*'],
    message: 'create writes files and imports no package: it runs before any is there.',
  },
  {
    path: 'packages/frames/src',
    imports: [protocol],
    options: page,
    forbidden: [...clientPackage, 'latchkey-server', 'latchkey-dev', 'react', 'react/**', 'react-dom', 'node:*'],
    message: 'frames: plain TypeScript; latchkey-protocol, and nothing from the client.',
  },
  {
    path: 'packages/console/src',
    imports: [protocol, `${client}/exports`],
    options: {
      ...page,
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      jsx: 'react-jsx',
      exactOptionalPropertyTypes: false,
      emitDeclarationOnly: true,
      types: ['vite/client'],
    },
    forbidden: [...clientPackage, '!latchkey/accounts', 'latchkey-server', 'latchkey-dev', 'node:*'],
    message:
      'The console: latchkey-protocol, and of the client latchkey/accounts for addresses; it reaches the server by the admin API alone.',
  },
  {
    path: 'examples/wallet/src',
    imports: [`${client}/exports`],
    options: {
      ...page,
      jsx: 'react-jsx',
      exactOptionalPropertyTypes: false,
      emitDeclarationOnly: true,
      types: ['vite/client'],
      outDir: '../dist-types',
    },
  },
  {
    path: 'e2e',
    imports: [protocol, 'packages/dev/src', `${client}/exports`],
    options: { lib: ['es2022', 'dom'], ...node },
  },
  { path: 'bench', imports: ['packages/dev/src', `${client}/exports`, 'e2e'], options: node },
]

/** What the list says, as files: `[path, content]`. */
export function wallFiles() {
  const references = rooms.map(({ path }) => ({ path }))
  return [
    ['biome/walls.json', toJson({ overrides: rooms.flatMap(importRule) })],
    ...rooms.map((room) => [`${room.path}/tsconfig.json`, toJson(toProject(room))]),
    ...['tsconfig.json', 'tsconfig.test.json'].map((path) => [
      path,
      toJson({ ...JSON.parse(readFileSync(join(root, path), 'utf8')), references }),
    ]),
  ]
}

/** Names of the files that are not what the list says. */
export function findStaleWalls() {
  return wallFiles()
    .filter(([path, content]) => !existsSync(join(root, path)) || sense(path) !== JSON.stringify(JSON.parse(content)))
    .map(([path]) => path)
}

export function writeWalls() {
  for (const [path, content] of wallFiles()) writeFileSync(join(root, path), content)
}

/** Content apart from its layout, which the formatter decides. */
const sense = (path) => JSON.stringify(JSON.parse(readFileSync(join(root, path), 'utf8')))
const toJson = (value) => `${JSON.stringify(value, null, 2)}\n`

/** A Biome override replaces a rule's options, so a room's rule holds all that it may not import. */
function importRule({ path, package: home, imports, forbidden = [], message }) {
  const siblings = rooms.filter((room) => home && room.package === home && room.path !== path)
  // TypeScript refuses a room that is not referenced, but lets through what a referenced one references.
  const closed = siblings.filter((room) => !imports.includes(room.path) && (home === client || isGuarded(room)))
  const group =
    forbidden[0] === '**'
      ? forbidden
      : [...forbidden, ...closed.map(({ path: other }) => `**/${other.slice(home.length + 1)}/**`)]
  if (group.length === 0) return []
  const options = { patterns: [{ group, message }] }
  const rules = { style: { noRestrictedImports: { level: 'error', options } } }
  return [{ includes: [`${path}/**`, '!**/*.test.ts', '!**/*.test.tsx', '!**/*.test-d.ts'], linter: { rules } }]
}

const isGuarded = ({ path }) => [`${server}/custody`, `${server}/exports`].includes(path)

function toProject({ path, package: home, imports, options }) {
  const up = (target) => relative(path, target) || '.'
  const rootDir = home ?? path
  const isPackage = rootDir.endsWith('/src')
  const outDir = options.outDir ?? up(isPackage ? join(rootDir, '../dist') : join(rootDir, 'dist'))
  return {
    extends: up('tsconfig.base.json'),
    include: ['**/*.ts', '**/*.tsx'],
    // Pages of packages that are installed there, and nowhere else.
    exclude: [
      'dist',
      'published',
      // A room of its own, with a page's globals.
      ...(path === 'packages/exit/src' ? ['page'] : []),
      ...(path === 'e2e' ? ['accountKit', 'accountKitReact'] : []),
      '**/*.test.ts',
      '**/*.test.tsx',
      '**/*.test-d.ts',
    ],
    compilerOptions: {
      rootDir: up(rootDir),
      outDir,
      tsBuildInfoFile: `${outDir}/.build/${path.split('/').at(-1)}.tsbuildinfo`,
      ...options,
    },
    references: imports.map((target) => ({ path: up(target) })),
  }
}
