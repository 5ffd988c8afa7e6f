import { describe, expect, test } from 'vitest'
import { moveProject } from './moveProject.ts'

const versions = { version: '1.2.3', viem: '2.57.1' }

function move(text: string, path = 'src/app.tsx') {
  const { changed, stops, left } = moveProject([{ path, text }], versions)
  return { text: changed[0]?.text, stops: stops.map(toLine), left: left.map(toLine) }
}

const toLine = ({ line, text }: { line: number; text: string }) => `${line} ${text}`

describe('imports', () => {
  test('sorts imports by entry in place of the first old one', () => {
    const { text, left } = move(`import React from 'react'
import { useUser, AlchemyAccountProvider as Provider } from "@alchemy/aa-alchemy/react";
import { createConfig, type AlchemyClientState } from "@alchemy/aa-alchemy/config";
import { sepolia, split, LocalAccountSigner } from "@alchemy/aa-core";
import type { SmartAccountSigner } from "@alchemy/aa-core";
export const x = [useUser, Provider]
`)
    expect(left).toEqual([])
    expect(text).toBe(`import React from 'react'
import { type InitialState as AlchemyClientState, createConfig } from "latchkey";
import { sepolia } from "latchkey/chains";
import { LocalAccountSigner, type SmartAccountSigner, split } from "latchkey/compat";
import { AlchemyAccountProvider as Provider, useUser } from "latchkey/react";
import "latchkey/styles.css";
export const x = [useUser, Provider]
`)
  })

  test('changes nothing in a second run', () => {
    const { text = '' } = move(`import { useUser } from '@account-kit/react'\n`)
    expect(text).toBe(`import { useUser } from 'latchkey/react'\n`)
    expect(move(text)).toEqual({ text: undefined, stops: [], left: [] })
  })

  test.each([
    ['types', `import type { User } from '@account-kit/signer'`, `import type { User } from 'latchkey/signer'`],
    [
      'a namespace of one entry',
      `import * as kit from '@account-kit/react'\nkit.useUser()`,
      `import * as kit from 'latchkey/react'\nkit.useUser()`,
    ],
    [
      'an export',
      `export { sepolia, type User as U } from '@account-kit/infra'`,
      `export { sepolia } from 'latchkey/chains'\nexport { type User as U } from 'latchkey/signer'`,
    ],
    [
      'import()',
      `const { useUser } = await import('@account-kit/react')`,
      `const { useUser } = await import('latchkey/react')`,
    ],
    [
      'require',
      `const { sepolia, base } = require("@alchemy/aa-core")`,
      `const { sepolia, base } = require("latchkey/chains")`,
    ],
    ['styles', `import '@account-kit/react/styles.css'`, `import 'latchkey/styles.css'`],
    [
      'Tailwind',
      `import { withAccountKitUi } from '@account-kit/react/tailwind'\nexport default withAccountKitUi({ content: [] }, { colors: {} })\n`,
      `export default { content: [] }\n`,
    ],
  ])('moves %s', (_, before, after) => {
    expect(move(before)).toEqual({ text: after, stops: [], left: [] })
  })

  test.each([
    [
      'a namespace of several entries',
      `import * as kit from '@account-kit/infra'\nkit.sepolia, kit.defineAlchemyChain`,
      '1 the names of kit are in several entries here: import them by name',
    ],
    [
      'a namespace as a whole',
      `import * as kit from '@account-kit/react'\nf(kit)`,
      '1 the names of kit are in several entries here: import them by name',
    ],
    [
      'an unknown name',
      `import { DemoSet } from '@alchemy/aa-alchemy/react'`,
      '1 DemoSet of @alchemy/aa-alchemy/react has no counterpart by this name; see the guide',
    ],
    ['export *', `export * from '@aa-sdk/core'`, `1 export * from '@aa-sdk/core': export names one by one`],
    [
      'import() kept whole',
      `const kit = await import('@account-kit/react')`,
      `1 '@account-kit/react' is asked for by its name: change it by hand`,
    ],
    ['a mock', `vi.mock('@account-kit/react')`, `1 '@account-kit/react' is asked for by its name: change it by hand`],
    [
      'an import for its effect',
      `import '@account-kit/react/setup'`,
      `1 import '@account-kit/react/setup' has no counterpart; remove it`,
    ],
    [
      'a default import',
      `import kit from '@account-kit/react'`,
      `1 the default import of '@account-kit/react' has no counterpart`,
    ],
  ])('reports %s and leaves it', (_, before, said) => {
    const { text = before, left, stops } = move(before)
    expect({ left, stops }).toEqual({ left: [said], stops: [] })
    expect(text).toContain('@')
  })
})

describe('syntax of 4.x', () => {
  const config = `import { alchemy, sepolia } from '@account-kit/infra'
import { createConfig } from '@account-kit/react'
`
  const head = `import { createConfig } from 'latchkey'
import { sepolia } from 'latchkey/chains'
`
  test.each([
    [
      'a connection',
      `createConfig({ chain: sepolia, transport: alchemy({ apiKey: 'K' }), ssr: true })`,
      `createConfig({ chain: sepolia, apiKey: 'K', ssr: true })`,
    ],
    [
      'a connection made apart',
      `const transport = alchemy({ jwt: 'J' })\ncreateConfig({ transport, chain: sepolia, enablePopupOauth: true })`,
      `const transport = { jwt: 'J' }\ncreateConfig({ ...transport, chain: sepolia })`,
    ],
    [
      'several chains',
      `createConfig({ chain: sepolia, chains: [{ chain: sepolia, transport: alchemy({ apiKey: 'K' }) }] })`,
      `createConfig({ chain: sepolia, connections: [{ chain: sepolia, apiKey: 'K' }], signerConnection: { apiKey: 'K' } })`,
    ],
  ])('moves createConfig with %s', (_, before, after) => {
    expect(move(config + before)).toEqual({ text: head + after, stops: [], left: [] })
  })

  test.each([
    [
      `useSmartAccountClient({ type: 'LightAccount' })`,
      `useSmartAccountClient({ type: 'LightAccount', accountParams: { version: 'v2.0.0' } })`,
    ],
    [
      `useSmartAccountClient({ type: 'LightAccount', accountParams: { salt: 1n } })`,
      `useSmartAccountClient({ type: 'LightAccount', accountParams: { salt: 1n, version: 'v2.0.0' } })`,
    ],
    [
      `useSmartAccountClient({ type: 'LightAccount', accountParams: { version: 'v1.1.0' } })`,
      `useSmartAccountClient({ type: 'LightAccount', accountParams: { version: 'v1.1.0' } })`,
    ],
    [
      `useAccount({ type: 'LightAccount' as const })`,
      `useAccount({ type: 'LightAccount' as const, accountParams: { version: 'v2.0.0' } })`,
    ],
    [`useAccount({ type: 'MultiOwnerModularAccount' })`, `useAccount({ type: 'MultiOwnerModularAccount' })`],
  ])('adds the account version to %s', (before, after) => {
    const imported = (from: string) => `import { useAccount, useSmartAccountClient } from '${from}'\n`
    expect(move(imported('@account-kit/react') + before)).toEqual({
      text: imported('latchkey/react') + after,
      stops: [],
      left: [],
    })
  })

  test('leaves calls that only read an account by its type', () => {
    const calls = `getAccount({ type: 'LightAccount' }, config)\nwatchAccount('LightAccount', config)`
    const before = `import { getAccount, watchAccount } from '@account-kit/core'\n${calls}`
    const text = `import { getAccount, watchAccount } from 'latchkey'\n${calls}`
    expect(move(before)).toEqual({ text, stops: [], left: [] })
  })

  test('adds no version to a 3.14 app', () => {
    const before = `import { useAccount } from '@alchemy/aa-alchemy/react'\nuseAccount({ type: 'LightAccount' })`
    expect(move(before).text).toBe(`import { useAccount } from 'latchkey/react'\nuseAccount({ type: 'LightAccount' })`)
  })

  test('moves connection, gas manager and version of standalone clients', () => {
    const before = `import { alchemy, sepolia } from '@account-kit/infra'
import { createLightAccountAlchemyClient } from '@account-kit/smart-contracts'
await createLightAccountAlchemyClient({ transport: alchemy({ apiKey }), chain: sepolia, signer, policyId })`
    expect(move(before).text).toBe(`import { sepolia } from 'latchkey/chains'
import { createLightAccountAlchemyClient } from 'latchkey/compat'
await createLightAccountAlchemyClient({ apiKey, chain: sepolia, signer, gasManagerConfig: { policyId }, version: 'v2.0.0' })`)
  })

  test('moves sign-in by code', () => {
    const before = `import { useAuthenticate } from '@account-kit/react'
const { authenticate } = useAuthenticate()
authenticate({ type: 'otp', otpCode })
authenticate({ type: 'otp', otpCode: '1' })
authenticate({ type: 'email', email, emailMode: 'otp' })`
    expect(move(before).text).toBe(`import { useAuthenticate } from 'latchkey/react'
const { authenticate } = useAuthenticate()
authenticate({ type: 'email', code: otpCode })
authenticate({ type: 'email', code: '1' })
authenticate({ type: 'email', email })`)
  })

  test('reports a policy that no client takes', () => {
    const { text, left } = move(
      `${config}createConfig({ chain: sepolia, transport: alchemy({ apiKey: 'K' }), policyId: 'P', enablePopupOauth: true, })`,
    )
    expect(text).toBe(`${head}createConfig({ chain: sepolia, apiKey: 'K', })`)
    expect(left).toEqual(["3 the policy: give gasManagerConfig: { policyId: 'P' } to each client"])
  })

  test("keeps a client's own policy beside the config's", () => {
    const { text, left } = move(`import { alchemy, sepolia } from '@account-kit/infra'
import { createConfig, useSmartAccountClient } from '@account-kit/react'
createConfig({ chain: sepolia, transport: alchemy({ apiKey: 'K' }), policyId: 'P' })
useSmartAccountClient({ policyId: 'Q' })
useSmartAccountClient({})
`)
    expect(left).toEqual([])
    expect(text).toMatch(
      /^useSmartAccountClient\(\{ gasManagerConfig: \{ policyId: 'Q' \}, type: 'ModularAccountV2' \}\)$/m,
    )
    expect(text).toMatch(
      /^useSmartAccountClient\(\{ type: 'ModularAccountV2', gasManagerConfig: \{ policyId: 'P' \} \}\)$/m,
    )
  })

  test('moves the policy to the clients and the UI config to the provider, across files', () => {
    const { changed, stops, left } = moveProject(
      [
        {
          path: 'src/config.ts',
          text: `import { alchemy, sepolia } from '@account-kit/infra'
import { createConfig } from '@account-kit/react'
export const config = createConfig({ transport: alchemy({ apiKey: 'K' }), chain: sepolia, policyId: process.env.POLICY! }, { auth: { sections: [] } })
`,
        },
        {
          path: 'src/app.tsx',
          text: `import { AlchemyAccountProvider, useSmartAccountClient } from '@account-kit/react'
import { config } from './config'
export const App = () => <AlchemyAccountProvider config={config} queryClient={q} />
const { client } = useSmartAccountClient({ type: 'LightAccount', accountParams: { version: 'v2.0.0' } })
`,
        },
        {
          path: 'package.json',
          text: `{\n\t"dependencies": {\n\t\t"@account-kit/react": "4",\n\t\t"a": "1",\n\t\t"z": "1"\n\t}\n}\n`,
        },
      ],
      versions,
    )
    expect({ stops, left }).toEqual({ stops: [], left: [] })
    expect(Object.fromEntries(changed.map(({ path, text }) => [path, text]))).toEqual({
      'src/config.ts': `import { createConfig } from 'latchkey'
import { sepolia } from 'latchkey/chains'
export const uiConfig = { auth: { sections: [] } } as const

export const config = createConfig({ apiKey: 'K', chain: sepolia })
`,
      'src/app.tsx': `import { AlchemyAccountProvider, useSmartAccountClient } from 'latchkey/react'
import 'latchkey/styles.css'
import { config, uiConfig } from './config'
export const App = () => <AlchemyAccountProvider config={config} uiConfig={uiConfig} queryClient={q} />
const { client } = useSmartAccountClient({ type: 'LightAccount', accountParams: { version: 'v2.0.0' }, gasManagerConfig: { policyId: process.env.POLICY! } })
`,
      'package.json': `{\n\t"dependencies": {\n\t\t"a": "1",\n\t\t"latchkey": "^1.2.3",\n\t\t"z": "1"\n\t}\n}\n`,
    })
  })

  test.each([
    [
      `import { useSmartAccountClient } from '@account-kit/react'\nuseSmartAccountClient(options)`,
      /2 useSmartAccountClient: for a LightAccount add accountParams/,
    ],
    [
      `import { useSmartAccountClient } from '@account-kit/react'\nuseSmartAccountClient({ type: kind })`,
      /2 useSmartAccountClient: the type is not written out here/,
    ],
    [`import { alchemy } from '@account-kit/infra'\nuse(alchemy)`, /2 connections are members here/],
    [
      `import { alchemy } from '@account-kit/infra'\nimport { createConfig } from '@account-kit/core'\ncreateConfig({ transport: alchemy({ apiKey: 'K', nodeRpcUrl: 'x' }) })`,
      /3 nodeRpcUrl is no part of a connection here/,
    ],
  ])('reports code that it cannot judge: %s', (before, said) => {
    expect(move(before).left.join('\n')).toMatch(said)
  })
})

describe('accounts of 4.x', () => {
  const react = (text: string) =>
    `import { getAccount } from '@account-kit/core'\nimport { useAccount, useSmartAccountClient } from '@account-kit/react'\n${text}`
  test.each([
    ['no argument', 'useSmartAccountClient()', "useSmartAccountClient({ type: 'ModularAccountV2' })"],
    ['no type', 'useSmartAccountClient({})', "useSmartAccountClient({ type: 'ModularAccountV2' })"],
    ['no type of a known account', 'getAccount({}, config)', "getAccount({ type: 'ModularAccountV2' }, config)"],
    [
      'a type and its mode',
      "useAccount({ type: 'ModularAccountV2', accountParams: { mode: 'default', salt: 1n } })",
      "useAccount({ type: 'ModularAccountV2', accountParams: { salt: 1n } })",
    ],
    [
      'the mode of EIP-7702',
      "useAccount({ type: 'ModularAccountV2', accountParams: { mode: '7702' } })",
      "useAccount({ type: 'ModularAccountV2', accountParams: { mode: '7702' } })",
    ],
  ])('makes a ModularAccountV2 of %s', (_, before, after) => {
    const { text, stops, left } = move(react(before))
    expect({ stops, left }).toEqual({ stops: [], left: [] })
    expect(text).toContain(after)
  })

  test('moves the functions of scripts', () => {
    const { text, stops, left } = move(
      `import { alchemy, sepolia } from '@account-kit/infra'\nimport { createModularAccountV2Client } from '@account-kit/smart-contracts'\ncreateModularAccountV2Client({ transport: alchemy({ apiKey: 'K' }), chain: sepolia, signer, policyId })`,
    )
    expect({ stops, left }).toEqual({ stops: [], left: [] })
    expect(text).toContain("import { createModularAccountV2Client } from 'latchkey/compat'")
    expect(text).toContain(
      "createModularAccountV2Client({ apiKey: 'K', chain: sepolia, signer, gasManagerConfig: { policyId } })",
    )
  })
})

describe('a config of 4.x', () => {
  const core = (text: string) =>
    `import { alchemy } from '@account-kit/infra'\nimport { createConfig } from '@account-kit/core'\n${text}`
  test('gives every chain the connection of the config', () => {
    const { text, stops, left } = move(
      core(
        "createConfig({ transport: alchemy({ apiKey: 'K' }), chain: a, chains: [{ chain: a }, { chain: b, policyId: 'P' }] })",
      ),
    )
    expect(stops).toEqual([])
    expect(left).toEqual([expect.stringContaining("gasManagerConfig: { policyId: 'P' }")])
    expect(text).toContain(
      "createConfig({ chain: a, connections: [{ chain: a, apiKey: 'K' }, { chain: b, apiKey: 'K' }], signerConnection: { apiKey: 'K' } })",
    )
  })

  test('gives a call without members both type and policy', () => {
    const { text } = move(
      `import { alchemy } from '@account-kit/infra'\nimport { createConfig, useSmartAccountClient } from '@account-kit/react'\ncreateConfig({ transport: alchemy({ apiKey: 'K' }), chain: a, policyId: 'P' })\nuseSmartAccountClient({})\nuseSmartAccountClient()`,
    )
    const members = "{ type: 'ModularAccountV2', gasManagerConfig: { policyId: 'P' } }"
    expect(text).toContain(`useSmartAccountClient(${members})\nuseSmartAccountClient(${members})`)
  })

  test('leaves valid code when several last members are removed', () => {
    const { text } = move(
      core(
        "createConfig({ transport: alchemy({ apiKey: 'K' }), chain: a, chains: [{ chain: a }], policyId: 'P', enablePopupOauth: true })",
      ),
    )
    expect(text).toContain(
      "createConfig({ chain: a, connections: [{ chain: a, apiKey: 'K' }], signerConnection: { apiKey: 'K' } })",
    )
  })
})

describe('package.json', () => {
  test.each([
    ['^2.20.0', '^2.57.1'],
    ['2.56.9', '^2.57.1'],
    ['^2.58.0', '^2.58.0'],
    ['latest', 'latest'],
  ])('raises viem %s to %s', (before, after) => {
    const text = JSON.stringify({ dependencies: { '@account-kit/react': '4.88.5', viem: before } })
    const { changed } = moveProject([{ path: 'package.json', text }], versions)
    expect(JSON.parse(changed[0]?.text ?? '').dependencies).toEqual({ latchkey: '^1.2.3', viem: after })
  })
})

describe('code without a counterpart', () => {
  const react = (text: string) =>
    `import { createConfig, useAuthenticate, useSmartAccountClient } from '@account-kit/react'\n${text}`
  test.each([
    [
      'the wallet client',
      `import { createSmartWalletClient } from '@account-kit/wallet-client'`,
      /^1 createSmartWalletClient/,
    ],
    [
      'the gas estimator of EIP-7702',
      `import { default7702GasEstimator } from '@account-kit/smart-contracts'`,
      /^1 default7702GasEstimator/,
    ],
    [
      'OAuth in the dialog',
      react(`createConfig({}, { auth: { sections: [[{ type: 'social', authProviderId: 'google' }]] } })`),
      /^2 sign-in by OAuth has no counterpart/,
    ],
    [
      'OAuth by hand',
      react(`authenticate({ type: 'oauth', mode: 'popup' })`),
      /^2 sign-in by OAuth has no counterpart/,
    ],
    [
      'an exported hook of OAuth',
      `export { useAddOauthProvider } from '@account-kit/react'`,
      /^1 useAddOauthProvider .* OAuth/,
    ],
    ['phone', react(`authenticate({ type: 'sms', phone })`), /^2 sign-in by phone has no counterpart/],
    [
      'Solana',
      `import { useSolanaTransaction } from '@account-kit/react'`,
      /^1 useSolanaTransaction of .* Solana has no counterpart/,
    ],
    ['Solana in the config', react(`createConfig({ solana: {} })`), /^2 Solana has no counterpart/],
    [
      'Solana by namespace',
      `import * as kit from '@account-kit/react'\nkit.useSolanaSigner()`,
      /^1 kit of .* Solana has no counterpart/,
    ],
    ['a file that does not parse', `import { useUser } from '@account-kit/react'\nconst = 1`, /^2 does not parse/],
  ])('stops at %s', (_, before, said) => {
    expect(move(before).stops.join('\n')).toMatch(said)
  })
})

test('reports lines of the migrated files, too', () => {
  const text = `import {\n  useUser,\n  useChain,\n} from '@account-kit/react'\n\nconst { type } = useUser()\n`
  expect(moveProject([{ path: 'a.ts', text }], versions).left).toEqual([
    expect.objectContaining({ line: 6, lineAfter: 3 }),
  ])
})
