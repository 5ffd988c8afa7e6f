import type { InitialState } from 'latchkey'
import { LatchkeyProvider } from 'latchkey/react'
import { Callback } from './Callback.tsx'
import { config } from './config.ts'
import { Wallet } from './Wallet.tsx'

export function App({ path, initialState }: { path: string; initialState: InitialState | undefined }) {
  return (
    <LatchkeyProvider config={config} initialState={initialState} uiConfig={{}}>
      <main>
        <h1>Latchkey with Vite</h1>
        {path === '/callback' && <Callback />}
        <Wallet />
      </main>
    </LatchkeyProvider>
  )
}
