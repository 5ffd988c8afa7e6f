import { createConfig, latchkeyDevnet } from 'latchkey'
import { LatchkeyProvider } from 'latchkey/react'
import 'latchkey/styles.css'
import { createRoot } from 'react-dom/client'
import { Send } from './Send.tsx'
import { Sign } from './Sign.tsx'
import { SignIn } from './SignIn.tsx'

/** Runs the examples in an element, against the devnet at an origin. Resolves to what takes them away again. */
export async function mount(place: HTMLElement, devnet: string): Promise<() => void> {
  const parameters = latchkeyDevnet(devnet)
  // Fails where no devnet runs.
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
