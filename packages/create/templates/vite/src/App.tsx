import { LatchkeyProvider } from 'latchkey/react'
import { config } from './config'
import { Wallet } from './Wallet'

export function App() {
  return (
    <LatchkeyProvider config={config}>
      <main>
        <h1>Latchkey app</h1>
        <Wallet />
      </main>
    </LatchkeyProvider>
  )
}
