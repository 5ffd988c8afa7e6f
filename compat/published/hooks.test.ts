import { fileURLToPath } from 'node:url'
import { buildScript } from '@latchkey/testkit/buildScript'
import { sepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type HooksBrowser, linkJourney, openHooksBrowser, passkeyJourney } from './hooksJourneys.ts'
import { type Stage, startStage } from './startStage.ts'

// The React hooks of `@alchemy/aa-alchemy` 3.14.1 as they were published, with the React of their time.

const react = (name: string) => fileURLToPath(new URL(`../react18/node_modules/${name}`, import.meta.url))

let stage: Stage
beforeAll(async () => {
  const script = await buildScript(new URL('./hooks.ts', import.meta.url), {
    define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
    resolve: { alias: { react: react('react'), 'react-dom': react('react-dom') } },
  })
  stage = await startStage({ scripts: [script], chainHost: 'eth-sepolia.g.alchemy.com', chainId: sepolia.id })
})
afterAll(() => stage?.close())

let browser: HooksBrowser
beforeEach(async () => {
  browser = await openHooksBrowser(stage)
})
afterEach(() => browser?.close())

test('default: a link, a sponsored send, signing, a passkey more, the seed phrase, a reload, out and in', async () => {
  await linkJourney(stage, browser)
  expect(browser.failures).toEqual([])
})

test('default: sign-up by a passkey, a sponsored send, and a reload', async () => {
  await passkeyJourney(stage, browser)
  expect(browser.failures).toEqual([])
})
