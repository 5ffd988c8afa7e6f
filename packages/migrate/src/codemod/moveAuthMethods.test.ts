import { describe, expect, test } from 'vitest'
import { moveProject } from './moveProject.ts'

const versions = { version: '1.2.3', viem: '2.57.1' }

function moveAll(files: Record<string, string>) {
  const list = Object.entries(files).map(([path, text]) => ({ path, text }))
  const { changed, stops, left } = moveProject(list, versions)
  return { texts: Object.fromEntries(changed.map(({ path, text }) => [path, text])), stops, left }
}

const toLine = ({ line, text }: { line: number; text: string }) => `${line} ${text}`

describe('sign-in methods', () => {
  const imported = (names: string, from: string) => `import { ${names} } from '${from}'\n`
  test('moves the list of passkeys and their removal', () => {
    const { texts, left } = moveAll({
      'a.ts': `${imported('useListAuthMethods, useRemovePasskey', '@account-kit/react')}const { data, refetch } = useListAuthMethods()
const { removePasskey: remove, isRemovingPasskey } = useRemovePasskey()
data?.passkeys.map(({ authenticatorId, name }) => remove(authenticatorId))
data?.passkeys.filter((one) => one.createdAt > 1)
`,
    })
    expect(texts['a.ts']).toBe(`${imported('useAuthMethods', 'latchkey/react')}const data = useAuthMethods()
const { reload: refetch } = data
const { removePasskey: remove, changing: changingAuthMethod } = useAuthMethods()
const isRemovingPasskey = changingAuthMethod === 'removePasskey'
data?.passkeys?.map(({ id: authenticatorId, name }) => remove(authenticatorId))
data?.passkeys?.filter((one) => one.createdAtMs > 1)
`)
    expect(left.map(toLine)).toEqual([expect.stringMatching(/^2 useAuthMethods lists passkeys by itself only/)])
  })

  test('imports both hooks where one call is left', () => {
    const code = 'const { removePasskey } = useRemovePasskey()\nconst all = useRemovePasskey()\n'
    const { texts } = moveAll({ 'a.ts': imported('useRemovePasskey', '@account-kit/react') + code })
    expect(texts['a.ts']).toBe(
      `${imported('useRemovePasskey', '@account-kit/react')}${imported('useAuthMethods', 'latchkey/react')}${code.replace('useRemovePasskey', 'useAuthMethods')}`,
    )
  })

  test.each([
    ['const { removePasskeyAsync } = useRemovePasskey()', /^2 useRemovePasskey: write useAuthMethods/],
    ['const list = useListAuthMethods()', /^2 useListAuthMethods: write useAuthMethods/],
    ['const { data } = useListAuthMethods()\nshow(data.email)', /3 the email address is that of the user/],
    ['const { data } = useListAuthMethods()\nshow(data.oauthProviders)', /3 oauthProviders has no counterpart/],
    ['const { data } = useListAuthMethods()\nshow(data)', /3 data is the result of useAuthMethods here/],
  ])('names what it cannot move: %s', (code, said) => {
    const { left } = moveAll({ 'a.ts': imported('useListAuthMethods, useRemovePasskey', '@account-kit/react') + code })
    expect(left.map(toLine).join('\n')).toMatch(new RegExp(said, 'm'))
  })

  test.each(['user?.type', '(user ?? none).idToken', 'useUser()?.phone'])(
    'names a member that users lack: %s',
    (code) => {
      const { left } = moveAll({
        'a.ts': `${imported('useUser', '@account-kit/react')}const user = useUser()\nshow(${code}, user.email)`,
      })
      expect(left.map(toLine)).toEqual([expect.stringMatching(/^3 user\.(type|idToken|phone): /)])
    },
  )
})

test("names a client's address that is not awaited", () => {
  const text = `import { split } from '@aa-sdk/core'\nshow(client.getAddress())\nshow(await signer.getAddress())`
  expect(moveAll({ 'a.ts': text }).left.map(toLine)).toEqual([expect.stringMatching(/^2 getAddress of a client/)])
})
