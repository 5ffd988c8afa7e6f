import { expect, test } from 'vitest'
import { NotAuthenticatedError } from '../../signer/errors/NotAuthenticatedError.ts'
import { BaseError } from './BaseError.ts'

test('links the section of its code outside the message', () => {
  const error = new BaseError('No account. Sign in first.', { code: 'ACCOUNT_NOT_FOUND', metaMessages: ['Chain: 1'] })
  expect(error.docsPath).toBe('/errors#account-not-found')
  expect(error.message).toBe('No account. Sign in first.\n\nChain: 1')
})

test('shows its own docs page in the message, and passes it on to the errors it causes', () => {
  const cause = new NotAuthenticatedError()
  expect(cause.message).toContain('\n\nDocs: docs/signer')
  const error = new BaseError('It failed.', { code: 'ACTIVITY_FAILED', cause })
  expect(error.docsPath).toBe('/signer')
  expect(error.message).toBe('It failed.\n\nDocs: docs/signer')
})

test('links the docs of its own code before those of its cause', () => {
  const cause = new BaseError('Too slow.', { code: 'TIMEOUT' })
  const error = new BaseError('Not sent.', { code: 'ACTIVITY_FAILED', cause })
  expect(error.docsPath).toBe('/errors#activity-failed')
  expect(error.message).toBe('Not sent.')
})

test('reads the text and the causes of errors of another realm', () => {
  const reason = { name: 'TypeError', message: 'denied' }
  const error = new BaseError('It failed.', {
    code: 'INTERNAL',
    cause: { name: 'Error', message: 'It broke.', cause: reason },
  })
  expect(error.details).toBe('It broke.')
  expect(error.walk()).toBe(reason)
})
