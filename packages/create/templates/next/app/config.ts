import { cookieStorage, createConfig, latchkeyDevnet } from 'latchkey'

/**
 * Config for the devnet that `npm run dev` starts. README.md shows the config for your own server. The state is stored
 * in a cookie, so that the server renders the first page for the signed-in user.
 */
export const config = createConfig({
  ...latchkeyDevnet(process.env.NEXT_PUBLIC_LATCHKEY_URL),
  ssr: true,
  storage: cookieStorage,
})
