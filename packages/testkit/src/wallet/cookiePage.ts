import { latchkeyDev } from '../../../latchkey/src/core/chains/latchkeyDev.ts'
import { cookieStorage } from '../../../latchkey/src/wallet/cookies/cookieStorage.ts'
import { createConfig } from '../../../latchkey/src/wallet/createConfig.ts'

// The page keeps its state, with a signed-in user, in a cookie.

const config = createConfig({ chain: latchkeyDev, apiKey: 'key', storage: cookieStorage, outbox: false })
config.clientStore.setState({ user: { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}` } })
// Stores the chain, too.
config.coreStore.setState({})
