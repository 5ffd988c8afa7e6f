import { expect, test } from 'vitest'
import { authorizeProject } from './authorizeProject.ts'

const project = {
  id: 'one',
  name: 'One',
  redirectUrls: [],
  allowedOrigins: ['https://one.example'],
  organizationId: null,
  logoUrl: null,
}
const authorize = (changes: Partial<authorizeProject.Parameters>) =>
  authorizeProject({
    find: async (apiKey) => (apiKey === 'key-of-one' ? project : null),
    authorization: undefined,
    origin: undefined,
    hint: 'Send it so.',
    ...changes,
  })

test('default', async () => {
  expect(await authorize({ authorization: 'Bearer key-of-one', origin: 'https://one.example' })).toBe(project)
})

test('behavior: a caller that is no page, any case of the scheme, a key that came another way', async () => {
  expect(await authorize({ authorization: 'bearer key-of-one' })).toBe(project)
  expect(await authorize({ apiKey: 'key-of-one', authorization: 'Bearer other' })).toBe(project)
})

test('error: no key, or one that is unknown', async () => {
  for (const changes of [
    {},
    { authorization: 'key-of-one' },
    { authorization: 'Basic key-of-one' },
    { authorization: 'Bearer key-of-one more' },
    { authorization: 'Bearer key-of-two' },
    { apiKey: '', authorization: 'Bearer key-of-one' },
    { apiKey: 'key-of-two', authorization: 'Bearer key-of-one' },
  ])
    await expect(authorize(changes), JSON.stringify(changes)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
      message: 'The API key is missing or unknown. Send it so.',
    })
})

test('error: a page on another origin', async () => {
  for (const origin of ['https://two.example', 'https://one.example.evil', 'http://one.example', 'null', ''])
    await expect(authorize({ apiKey: 'key-of-one', origin }), origin).rejects.toMatchObject({
      code: 'ORIGIN_NOT_ALLOWED',
      status: 403,
    })
})
