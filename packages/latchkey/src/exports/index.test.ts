import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as entry from './index.ts'

test('default: what the entry offers', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "AbortedError",
      "AccountDeletingError",
      "AccountUnprovenError",
      "ActivityFailedError",
      "BaseError",
      "BundleInjectionError",
      "ChunkFailedError",
      "ClientOnlyError",
      "ContractRevertedError",
      "CustodyError",
      "EmailInitSessionMissingError",
      "EndpointsChangedError",
      "ExportInjectionError",
      "FrameDeclinedError",
      "HttpError",
      "ImportInjectionError",
      "LinkExpiredError",
      "NoOrgIdError",
      "NoUserFoundError",
      "NotAuthenticatedError",
      "PasskeyCancelledError",
      "PasskeyFailedError",
      "PasskeyTimeoutError",
      "PasskeyTransportUnknownError",
      "PasskeyUnsupportedError",
      "ProviderRpcError",
      "ResponseInvalidError",
      "RpcError",
      "SupersededError",
      "UserOperationRefusedError",
      "UserOperationRevertedError",
      "WaitForUserOperationError",
      "WalletNotFoundError",
      "alchemyEndpoints",
      "announceProvider",
      "buildUserOperation",
      "buildUserOperationFromTx",
      "buildUserOperationFromTxs",
      "bundlerMethods",
      "checkGasSponsorshipEligibility",
      "createAccount",
      "createBundlerClient",
      "createConfig",
      "createOperationContext",
      "createProvider",
      "createSmartAccountClient",
      "disconnect",
      "dropAndReplaceUserOperation",
      "erc7677Middleware",
      "estimateUserOperationGas",
      "getAccount",
      "getBundlerClient",
      "getChain",
      "getProvider",
      "getSigner",
      "getSignerStatus",
      "getSmartAccountClient",
      "getUser",
      "getUserOperationByHash",
      "getUserOperationReceipt",
      "hydrate",
      "latchkeyEndpoints",
      "lightAccountActions",
      "memoryStorage",
      "modularAccountActions",
      "reconnect",
      "rpcTransport",
      "sendTransactions",
      "sendUserOperation",
      "setChain",
      "signUserOperation",
      "simulateUserOperation",
      "split",
      "waitForUserOperationTransaction",
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

test('behavior: every error class is here, wherever it is thrown', () => {
  const sources = new URL('../', import.meta.url)
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  const classes = files.flatMap((path) =>
    [...readFileSync(new URL(path, sources), 'utf8').matchAll(/^export class (\w+Error) extends/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(classes).toContain('RpcError')
  expect(Object.keys(entry)).toEqual(expect.arrayContaining(classes))
})
