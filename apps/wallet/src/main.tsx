import { Button } from '@latchkey/ui/Button'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createConfig } from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { LatchkeyProvider, type UiConfig } from 'latchkey/react'
import { latchkeyEndpoints } from 'latchkey/signer'
import 'latchkey/styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { checkServer, loadConfig, ServerDown, type WalletConfig } from './config.ts'
import { Hero } from './parts/Hero.tsx'
import './style.css'

const root = createRoot(document.getElementById('root') as HTMLElement)

const uiConfig: UiConfig = {
  auth: { addPasskeyOnSignup: true },
  supportUrl: './support.html',
  termsUrl: './terms.html',
}

loadConfig().then(start, explain)

function start(config: WalletConfig): void {
  // Not awaited, so that the page renders immediately.
  checkServer(config).catch(explain)
  const { addresses } = config
  const latchkey = createConfig({
    chain: defineLatchkeyDevChain({
      id: config.chainId,
      nodeUrl: config.nodeUrl,
      gatewayUrl: config.gatewayUrl,
      paymasters: { '0.6.0': addresses.paymaster06, '0.7.0': addresses.paymaster07 },
    }),
    apiKey: config.apiKey,
    endpoints: latchkeyEndpoints(config.signerApiUrl),
  })
  // With this mode, actions fail immediately while offline instead of being retried later.
  const always = { networkMode: 'always' } as const
  const queryClient = new QueryClient({ defaultOptions: { queries: always, mutations: always } })
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LatchkeyProvider config={latchkey} queryClient={queryClient} uiConfig={uiConfig}>
          <App config={config} />
        </LatchkeyProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}

function explain(error: unknown): void {
  root.render(
    <Hero title="The servers are not responding">
      <p>
        {error instanceof ServerDown ? (
          <>
            No response from <code>{error.url}</code>.
          </>
        ) : (
          String(error)
        )}{' '}
        Start them with <code>npm start</code> in the repository or <code>npx latchkey-dev</code> anywhere, then try
        again.
      </p>
      <Button look="primary" onClick={() => location.reload()}>
        Try again
      </Button>
    </Hero>,
  )
}
