import { createConfig, latchkeyDevnet } from 'latchkey'

/** The devnet that `npm run dev` starts. README.md says what goes here for a server of your own. */
export const config = createConfig(latchkeyDevnet(import.meta.env.VITE_LATCHKEY_URL))
