import { cookieStorage, createConfig, latchkeyDevnet } from 'latchkey'

/**
 * The devnet that `npm run dev` starts. README.md says what goes here for a server of your own. The session's outline is kept
 * in a cookie, so that the first page that the server renders is the signed-in one.
 */
export const config = createConfig({
  ...latchkeyDevnet(process.env.NEXT_PUBLIC_LATCHKEY_URL),
  ssr: true,
  storage: cookieStorage,
})
