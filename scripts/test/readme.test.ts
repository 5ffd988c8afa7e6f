import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { http, parseEther } from 'viem'
import { describe, expect, test } from 'vitest'
import { playWithPermissions } from '../../examples/readme/grantPermissions.ts'
import { playWithSessionKey } from '../../examples/readme/sessionKeys.ts'
import { toModularAccount } from '../../packages/latchkey/src/accounts/modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from '../../packages/latchkey/src/accounts/modularAccountV2/toModularAccountV2.ts'

const root = join(import.meta.dirname, '../..')

/** The first code blocks of each document are these compiled files below examples/, in their order. */
const examples = {
  // e2e/packaging/serverRendering.test.ts compiles and runs this example.
  'docs/guides/server-rendering.md': [
    'next/app/config.ts',
    'next/app/layout.tsx',
    'next/app/providers.tsx',
    'next/app/callback/page.tsx',
    'viteSsr/src/entryServer.tsx',
    'viteSsr/src/entryClient.tsx',
  ],
  'README.md': ['readme/App.tsx'],
  'packages/latchkey/src/accounts/README.md': ['readme/accounts.ts', 'readme/sessionKeys.ts'],
  // packages/latchkey/src/core/server/backend.service.test.ts runs the routes of this example.
  'docs/guides/backend.md': [
    'backend/Orders.tsx',
    'backend/project.ts',
    'backend/fetch.ts',
    'backend/hono.ts',
    'backend/express.ts',
    'backend/session.ts',
    'backend/KeepSession.tsx',
  ],
  // packages/server/src/app/embedded.service.test.ts runs this example.
  'docs/operate/embed.md': ['embedded/hono.ts', 'embedded/express.ts'],
  'docs/guides/plain.md': ['plain/src/wallet.ts', 'plain/src/main.ts', 'vue/src/App.vue', 'svelte/src/App.svelte'],
  'docs/guides/from-account-kit.md': ['readme/moved3.tsx', 'readme/moved4.tsx', 'readme/movedScript.ts'],
  'docs/guides/operations.md': ['readme/Activity.tsx', 'readme/bundlers.ts', 'readme/Deposit.tsx'],
  'docs/guides/wagmi.md': ['wagmi/src/config.ts', 'wagmi/src/main.tsx'],
}

test.each(Object.entries(examples))('shows the compiled code in %s', (path, files) => {
  const blocks = [...readFileSync(join(root, path), 'utf8').matchAll(/```(?:tsx?|vue|svelte)\n([\s\S]*?)```/g)]
  // In the docs, the shared module is in the same folder.
  const read = (file: string) => readFileSync(join(root, 'examples', file), 'utf8').replace("'../../plain/src/", "'./")
  const compiled = files.map(read)
  expect(blocks.map(([, code]) => code).slice(0, files.length)).toEqual(compiled)
})

describe('session keys', () => {
  const stage = setChain()

  test('pays up to the limit of the session key in the example', async () => {
    const game = newKey().address
    const account = await stage.funded(await toModularAccount({ client: stage.reader, owner: newKey() }))
    const bundler = stage.createBundler(account).transport
    const pay = await playWithSessionKey(account, stage.reader, http(bundler.url), game)
    expect(await stage.reader.getBalance({ address: game })).toBe(parseEther('0.01'))
    await expect(pay(parseEther('0.1'))).rejects.toMatchObject({ code: 'SESSION_KEY_DENIED' })
  })

  test('pays up to the allowance of the granted key in the example', async () => {
    const game = newKey().address
    const account = await stage.funded(await toModularAccountV2({ client: stage.reader, owner: newKey() }))
    const bundler = stage.createBundler(account).transport
    const pay = await playWithPermissions(account, stage.reader, http(bundler.url), game)
    expect(await stage.reader.getBalance({ address: game })).toBe(parseEther('0.01'))
    await expect(pay(parseEther('0.1'))).rejects.toThrow(/ExceededNativeTokenLimit|0x94c58c94/)
  })
})

test('compiles the pages of the examples', () => {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'examples/plain'), '--pretty', 'false']
  // `execFileSync` throws with the compiler's output.
  execFileSync(process.execPath, args, { encoding: 'utf8' })
})
