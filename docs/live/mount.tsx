import { createConfig, latchkeyDevWorld } from 'latchkey'
import { LatchkeyProvider } from 'latchkey/react'
import 'latchkey/styles.css'
import { createRoot } from 'react-dom/client'
import { Send } from './Send.tsx'
import { Sign } from './Sign.tsx'
import { SignIn } from './SignIn.tsx'

/** Runs the examples in an element, against the dev world at an origin. Resolves to what takes them away again. */
export async function mount(place: HTMLElement, world: string): Promise<() => void> {
  const parameters = latchkeyDevWorld(world)
  // Fails where no world runs.
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
