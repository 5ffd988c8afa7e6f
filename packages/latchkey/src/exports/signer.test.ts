import { expect, test } from 'vitest'
import { BaseError } from '../core/errors/BaseError.ts'
import * as authErrors from '../signer/errors/authErrors.ts'
import * as custodyErrors from '../signer/errors/custodyErrors.ts'
import * as trustErrors from '../signer/errors/trustErrors.ts'
import * as frameErrors from '../web/frameErrors.ts'
import * as passkeyErrors from '../web/passkey/errors.ts'
import * as signer from './signer.ts'

test('default: what `latchkey/signer` offers', () => {
  expect(Object.keys(signer).sort()).toEqual([
    'AbortedError',
    'AccountDeletingError',
    'AccountUnprovenError',
    'ActivityFailedError',
    'BaseError',
    'BundleInjectionError',
    'ClientOnlyError',
    'CustodyError',
    'EmailInitSessionMissingError',
    'EndpointsChangedError',
    'ExportInjectionError',
    'FrameDeclinedError',
    'HttpError',
    'ImportInjectionError',
    'LinkExpiredError',
    'NoOrgIdError',
    'NoUserFoundError',
    'NotAuthenticatedError',
    'PasskeyCancelledError',
    'PasskeyExistsError',
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

test('behavior: every error class of the signer is exported', () => {
  const exported = new Set<unknown>(Object.values(signer))
  const errors = Object.values({ ...authErrors, ...custodyErrors, ...frameErrors, ...passkeyErrors, ...trustErrors })
  const classes = errors.filter((value) => value.prototype instanceof BaseError)
  expect(classes).toHaveLength(24)
  expect(classes.filter((value) => !exported.has(value))).toEqual([])
})
