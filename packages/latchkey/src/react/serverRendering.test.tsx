import { Writable } from 'node:stream'
import { Suspense, use } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { toCookieText } from '../wallet/cookies/cookieText.ts'
import { cookieToInitialState } from '../wallet/cookies/cookieToInitialState.ts'
import { createConfig } from '../wallet/createConfig.ts'
import { toSignerStatus } from '../wallet/store/clientState.ts'
import { useAccount } from './hooks/useAccount.ts'
import { useChain } from './hooks/useChain.ts'
import { useSigner } from './hooks/useSigner.ts'
import { useSignerStatus } from './hooks/useSignerStatus.ts'
import { useUser } from './hooks/useUser.ts'
import { LatchkeyProvider } from './LatchkeyProvider.ts'
import { AuthCard } from './ui/AuthCard.ts'

const config = createConfig({
  chain: latchkeyDev,
  connections: [latchkeyDev, sepolia].map((chain) => ({ chain, apiKey: 'key' })),
  signerConnection: { apiKey: 'key' },
  ssr: true,
})

function cookieFor(name: string, chainId: number): string {
  const address = `0x${name.charCodeAt(0).toString(16).repeat(20)}` as const
  const state = {
    user: { email: `${name}@example.com`, orgId: name, userId: name, address },
    signerStatus: toSignerStatus('CONNECTED'),
    chainId,
    accountConfigs: { [chainId]: { LightAccount: { accountAddress: address } } },
  }
  return `alchemy-account-state=${toCookieText('alchemy-account-state', state, Date.now() + 60_000)}`
}

function Person() {
  const user = useUser()
  const { chain } = useChain()
  const { address } = useAccount({ type: 'LightAccount' })
  const { status } = useSignerStatus()
  const text = [user?.email ?? 'no one', chain.id, address ?? 'none', status, useSigner() === null].join('|')
  return <p>{text}</p>
}

function Late({ gate }: { gate: Promise<void> }) {
  use(gate)
  return <Person />
}

function defer<value>() {
  let resolve!: (value: value) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<value>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}

/** Starts one request. Its second chunk renders after `go`. */
function request(cookie: string | undefined) {
  const [gate, shell, end] = [defer<void>(), defer<void>(), defer<string>()]
  let html = ''
  const body = new Writable({
    write(chunk, _, done) {
      html += chunk
      done()
    },
    final(done) {
      end.resolve(html)
      done()
    },
  })
  const page = (
    <LatchkeyProvider config={config} initialState={cookieToInitialState(config, cookie)}>
      <Person />
      <Suspense fallback="wait">
        <Late gate={gate.promise} />
      </Suspense>
    </LatchkeyProvider>
  )
  const { pipe } = renderToPipeableStream(page, {
    onShellReady() {
      pipe(body)
      shell.resolve()
    },
    onError: end.reject,
  })
  return { shell: shell.promise, go: gate.resolve, html: end.promise }
}

const texts = (html: string) => [...html.matchAll(/<p>(.*?)<\/p>/g)].map(([, text]) => text)

test('renders interleaved streams of two users and of nobody with their own data', async () => {
  const before = [config.clientStore.getState(), config.coreStore.getState()]
  const ann = request(cookieFor('ann', 31337))
  await ann.shell
  const none = request(undefined)
  const bob = request(cookieFor('bob', sepolia.id))
  await Promise.all([none.shell, bob.shell])
  // Each second chunk renders after the first chunks of all other requests.
  bob.go()
  const bobs = texts(await bob.html)
  none.go()
  const nones = texts(await none.html)
  ann.go()
  const anns = texts(await ann.html)

  const [a, b] = [`0x${'61'.repeat(20)}`, `0x${'62'.repeat(20)}`]
  expect(anns).toEqual(Array(2).fill(`ann@example.com|31337|${a}|INITIALIZING|true`))
  expect(bobs).toEqual(Array(2).fill(`bob@example.com|11155111|${b}|INITIALIZING|true`))
  expect(nones).toEqual(Array(2).fill('no one|31337|none|INITIALIZING|true'))
  expect(config.clientStore.getState()).toBe(before[0])
  expect(config.coreStore.getState()).toBe(before[1])
})

test('escapes forged text', async () => {
  const stream = request(cookieFor('<script>alert(1)</script>', 31337))
  stream.go()
  const html = await stream.html
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;@example.com')
  expect(html).not.toContain('<script>alert(1)')
})

test('renders a card on the server as an empty themed section', () => {
  const html = renderToString(
    <LatchkeyProvider config={config} uiConfig={{ theme: 'dark', uiMode: 'embedded' }}>
      <AuthCard header="Welcome" />
    </LatchkeyProvider>,
  )
  expect(html).toBe('<section class="lk-dialog lk-inline" aria-busy="true" data-theme="dark"></section>')
})
