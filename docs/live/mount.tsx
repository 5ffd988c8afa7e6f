import { createConfig, latchkeyDevnet } from 'latchkey'
import { LatchkeyProvider } from 'latchkey/react'
import 'latchkey/styles.css'
import { createRoot } from 'react-dom/client'
import { Send } from './Send.tsx'
import { Sign } from './Sign.tsx'
import { SignIn } from './SignIn.tsx'

/**
 * Renders the examples into an element. They use the devnet at the given origin. Resolves to a function that removes
 * them.
 */
export async function mount(place: HTMLElement, devnet: string): Promise<() => void> {
  const parameters = latchkeyDevnet(devnet)
  // Rejects if there is no devnet.
  await parameters.endpoints?.getConfig()
  const config = createConfig(parameters)
  const root = createRoot(place)
  root.render(
    <LatchkeyProvider config={config}>
      <SignIn />
      <Send />
      <Sign />
    </LatchkeyProvider>,
  )
  return () => root.unmount()
}
