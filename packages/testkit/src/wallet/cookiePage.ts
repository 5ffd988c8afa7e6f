import { latchkeyDev } from '../../../latchkey/src/core/chains/latchkeyDev.ts'
import { cookieStorage } from '../../../latchkey/src/wallet/cookies/cookieStorage.ts'
import { createConfig } from '../../../latchkey/src/wallet/createConfig.ts'

// Page whose state, with a signed-in user, is in a cookie.

const config = createConfig({ chain: latchkeyDev, apiKey: 'key', storage: cookieStorage, outbox: false })
config.clientStore.setState({ user: { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}` } })
// Causes the store to write the chain, too.
config.coreStore.setState({})
