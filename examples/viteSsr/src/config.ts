import { cookieStorage, createConfig, latchkeyEndpoints } from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'

/** First port of the devnet that `npx latchkey-dev` starts. */
const port = Number(import.meta.env.VITE_LATCHKEY_PORT ?? 4100)
const at = (offset: number) => `http://localhost:${port + offset}`

/** One for the server, which shares it between requests and never writes to it, and one for each page. */
export const config = createConfig({
  chain: defineLatchkeyDevChain({ gatewayUrl: at(3), nodeUrl: at(9) }),
  apiKey: 'latchkey-dev',
  endpoints: latchkeyEndpoints(at(1)),
  ssr: true,
  storage: cookieStorage,
})
