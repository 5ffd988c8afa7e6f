import { expect, test } from 'vitest'
import * as entry from './index.ts'

test('default: what the entry offers', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "BaseError",
      "UserOperationRevertedError",
      "WaitForUserOperationError",
      "alchemyEndpoints",
      "createAccount",
      "createBundlerClient",
      "createConfig",
      "createSmartAccountClient",
      "disconnect",
      "getAccount",
      "getBundlerClient",
      "getChain",
      "getSigner",
      "getSignerStatus",
      "getSmartAccountClient",
      "getUser",
      "hydrate",
      "latchkeyEndpoints",
      "lightAccountActions",
      "memoryStorage",
      "modularAccountActions",
      "reconnect",
      "rpcTransport",
      "setChain",
      "watchAccount",
      "watchBundlerClient",
      "watchChain",
      "watchSigner",
      "watchSignerStatus",
      "watchSmartAccountClient",
      "watchUser",
    ]
  `)
})
