import { fileURLToPath } from 'node:url'
import { buildScript } from '@latchkey/testkit/buildScript'
import { sepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type HooksBrowser, linkJourney, openHooksBrowser, passkeyJourney } from './hooksJourneys.ts'
import { type Stage, startStage } from './startStage.ts'

// Runs the published React hooks of `@alchemy/aa-alchemy` 3.14.1 with the React version of their time.

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

test('signs in by link, sends, signs, adds a passkey, exports the phrase, reloads and signs in again', async () => {
  await linkJourney(stage, browser)
  expect(browser.failures).toEqual([])
})

test('signs up by passkey, sends a sponsored operation and reloads', async () => {
  await passkeyJourney(stage, browser)
  expect(browser.failures).toEqual([])
})
