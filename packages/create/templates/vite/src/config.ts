import { createConfig, latchkeyDevnet } from 'latchkey'

/** Config for the devnet that `npm run dev` starts. README.md shows the config for your own server. */
export const config = createConfig(latchkeyDevnet(import.meta.env.VITE_LATCHKEY_URL))
