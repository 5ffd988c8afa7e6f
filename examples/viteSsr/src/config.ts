import { cookieStorage, createConfig, latchkeyEndpoints } from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'

/** First port of the devnet that `npx latchkey-dev` starts. */
const port = Number(import.meta.env.VITE_LATCHKEY_PORT ?? 4100)
const at = (offset: number) => `http://localhost:${port + offset}`

/** The server shares one config between requests and never writes to it. Each page has its own config. */
export const config = createConfig({
  chain: defineLatchkeyDevChain({ gatewayUrl: at(3), nodeUrl: at(9) }),
  apiKey: 'latchkey-dev',
  endpoints: latchkeyEndpoints(at(1)),
  ssr: true,
  storage: cookieStorage,
})
