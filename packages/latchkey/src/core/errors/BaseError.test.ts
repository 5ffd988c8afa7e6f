import { expect, test } from 'vitest'
import { NotAuthenticatedError } from '../../signer/errors/NotAuthenticatedError.ts'
import { BaseError } from './BaseError.ts'

test('default', () => {
  const error = new BaseError('No account. Sign in first.', { code: 'ACCOUNT_NOT_FOUND', metaMessages: ['Chain: 1'] })
  expect(error.docsPath).toBe('/errors#account-not-found')
  // The section is beside the message, whose text is an API.
  expect(error.message).toBe('No account. Sign in first.\n\nChain: 1')
})

test('behavior: a page of its own is in the message, and in that of the error it caused', () => {
  const cause = new NotAuthenticatedError()
  expect(cause.message).toContain('\n\nDocs: docs/signer')
  const error = new BaseError('It failed.', { code: 'ACTIVITY_FAILED', cause })
  expect(error.docsPath).toBe('/signer')
  expect(error.message).toBe('It failed.\n\nDocs: docs/signer')
})

test('behavior: an error is explained by its own code, not by that of its cause', () => {
  const cause = new BaseError('Too slow.', { code: 'TIMEOUT' })
  const error = new BaseError('Not sent.', { code: 'ACTIVITY_FAILED', cause })
  expect(error.docsPath).toBe('/errors#activity-failed')
  expect(error.message).toBe('Not sent.')
})
