import { cookieStorage, createConfig, latchkeyDevnet } from 'latchkey'

/**
 * Config for the devnet that `npm run dev` starts. README.md shows the config for your own server. A cookie tells the server
 * who is signed in, so that its first page shows it.
 */
export const config = createConfig({
  ...latchkeyDevnet(process.env.NEXT_PUBLIC_LATCHKEY_URL),
  ssr: true,
  storage: cookieStorage,
})
