import { expect, test } from 'vitest'
import * as signer from './signer.ts'

test('default: what `latchkey/signer` offers', () => {
  expect(Object.keys(signer).sort()).toEqual([
    'AbortedError',
    'ActivityFailedError',
    'BaseError',
    'BundleInjectionError',
    'ClientOnlyError',
    'CustodyError',
    'EmailInitSessionMissingError',
    'ExportInjectionError',
    'HttpError',
    'ImportInjectionError',
    'LinkExpiredError',
    'NoOrgIdError',
    'NoUserFoundError',
    'NotAuthenticatedError',
    'PasskeyCancelledError',
    'PasskeyFailedError',
    'PasskeyTimeoutError',
    'PasskeyTransportUnknownError',
    'PasskeyUnsupportedError',
    'ResponseInvalidError',
    'SupersededError',
    'WalletNotFoundError',
    'alchemyEndpoints',
    'createSigner',
    'latchkeyEndpoints',
    'memoryStorage',
    'webPlatform',
  ])
})
