import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { factorPaths, gatewayMethods, oauthPaths, signerApiPaths } from 'latchkey-protocol'
import { expect, test } from 'vitest'
import { refused } from '../../packages/server/src/custody/calls/refused.ts'
import { queries, submits } from '../../packages/server/src/custody/calls/table.ts'
import { bundlerMethods } from '../../packages/server/src/gateway/methods/forwardedMethods.ts'
import { findAccountType } from '../../packages/server/src/gateway/walletApi/accountTypes.ts'
import { walletMethods } from '../../packages/server/src/gateway/walletApi/walletMethods.ts'
import { addressCodePaths } from '../../packages/server/src/signerApi/addressCodeRoutes.ts'
import { refusedRoutes } from '../../packages/server/src/signerApi/publishedRoutes.ts'

// Each exported name of the 4.88.5 packages must be supported or explicitly refused, so that this test fails for a
// version with additional names.

const packages = fileURLToPath(new URL('./node_modules', import.meta.url))
const read = (path: string) => readFileSync(`${packages}/${path}`, 'utf8')

function find(folder: string, ending: RegExp, pattern: RegExp): string[] {
  const files = readdirSync(`${packages}/${folder}`, { recursive: true, encoding: 'utf8' }).filter((path) =>
    ending.test(path),
  )
  const found = files.flatMap((path) => [...read(`${folder}/${path}`).matchAll(pattern)].map(([, name = '']) => name))
  return [...new Set(found)].sort()
}

test('serves or refuses every route of the Account Kit signer', () => {
  const declared = find('@account-kit/signer/dist/types/client', /types\.d\.ts$/, /Route: "(\/v1\/[\w-]+)"/g)
  expect(declared.length).toBeGreaterThanOrEqual(29)
  const refusals = Object.keys(refusedRoutes).map((name) => `/v1/${name}`)
  const served = [signerApiPaths, addressCodePaths, oauthPaths, factorPaths].flatMap((paths) =>
    Object.values<string>(paths),
  )
  const known = [...served, ...refusals]
  expect(declared.filter((route) => !known.includes(route))).toEqual([])
  const asked = new Set(declared)
  expect(Object.keys(refusedRoutes).filter((name) => !asked.has(`/v1/${name}`))).toEqual([])
})

test('serves or refuses every custody call the Account Kit signer makes or stamps', () => {
  const called = find('@account-kit/signer/dist/esm/client', /\.js$/, /urnkeyClient\s*\.(\w+)\(/g)
  expect(called.length).toBeGreaterThanOrEqual(15)
  const client = read('@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.client.js')
  const known = [
    ...Object.keys(submits).map((name) => `submit/${name}`),
    ...Object.keys(queries).map((name) => `query/${name}`),
    ...Object.keys(refused).map((name) => `submit/${name}`),
  ]
  const paths = called.map(
    (method) =>
      new RegExp(`this\\.${method} = async[\\s\\S]{0,400}?"/public/v1/([\\w/]+)"`).exec(client)?.[1] ?? method,
  )
  // This helper calls an endpoint that the custody client in Account Kit's lockfile no longer has.
  expect(paths.filter((path) => !known.includes(path))).toEqual(['stampGetOrganization'])
})

test('serves every declared JSON-RPC method', () => {
  const literal = /[Mm]ethod: (?:Type\.TLiteral<)?"([a-z]+_\w+)"/g
  const folders = ['@account-kit/infra', '@account-kit/wallet-client', '@aa-sdk/core', '@alchemy/wallet-api-types']
  const declared = [...new Set(folders.flatMap((folder) => find(`${folder}/dist/types`, /\.d\.ts$/, literal)))]
  expect(declared.length).toBeGreaterThanOrEqual(20)
  const known = new Set<string>([
    ...walletMethods.keys(),
    ...bundlerMethods.keys(),
    ...Object.values(gatewayMethods),
    // Account Kit declares this method but never calls it.
    'alchemy_requestPaymasterTokenQuote',
  ])
  expect(declared.filter((method) => !known.has(method))).toEqual([])
})

test('serves or refuses every declared account type', () => {
  const [list = ''] = find(
    '@alchemy/wallet-api-types/dist/types',
    /^schemas\.d\.ts$/,
    /accountTypes: readonly \[([^\]]+)\]/g,
  )
  const declared = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  const served = declared.filter((name) => {
    try {
      return findAccountType(name)
    } catch {
      return false
    }
  })
  expect([served, declared.filter((name) => !served.includes(name))]).toEqual([
    ['sma-b', 'la-v2', 'la-v2-multi-owner', 'la-v1.0.1', 'la-v1.0.2', 'la-v1.1.0', 'ma-v1-multi-owner'],
    // An EIP-7702 account is the signer's own address, without a factory.
    ['7702'],
  ])
})
