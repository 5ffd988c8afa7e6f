import { createConfig, latchkeyDevWorld } from 'latchkey'

/** The world that `npm run dev` starts. README.md says what goes here for a server of your own. */
export const config = createConfig(latchkeyDevWorld(import.meta.env.VITE_LATCHKEY_URL))
