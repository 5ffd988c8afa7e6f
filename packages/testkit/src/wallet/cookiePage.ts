import { latchkeyDev } from '../../../latchkey/src/core/chains/latchkeyDev.ts'
import { cookieStorage } from '../../../latchkey/src/wallet/cookies/cookieStorage.ts'
import { createConfig } from '../../../latchkey/src/wallet/createConfig.ts'

// A page whose state is kept in a cookie too, with a person in it.

const config = createConfig({ chain: latchkeyDev, apiKey: 'key', storage: cookieStorage, outbox: false })
config.clientStore.setState({ user: { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}` } })
