import { describe, expect, test } from 'vitest'
import { moveProject } from './moveProject.ts'

const versions = { version: '1.2.3', viem: '2.57.1' }

function moveAll(files: Record<string, string>, dropsSocial = false) {
  const list = Object.entries(files).map(([path, text]) => ({ path, text }))
  const { changed, stops, left } = moveProject(list, { ...versions, dropsSocial })
  return { texts: Object.fromEntries(changed.map(({ path, text }) => [path, text])), stops, left }
}

const toLine = ({ line, text }: { line: number; text: string }) => `${line} ${text}`

describe('social sign-in', () => {
  const config = `import { createConfig } from '@account-kit/react'
createConfig({ chain, oauthCallbackUrl: 'x', enablePopupOauth: true }, {
  auth: { sections: [[{ type: 'email' }, { type: 'social', authProviderId: 'google' }], [{ type: 'social', authProviderId: 'apple' }]] },
})
authenticate({ type: 'oauth', authProviderId: 'google', mode: 'popup' })
`
  test('stops and names the option', () => {
    const { stops } = moveAll({ 'a.ts': config })
    expect(stops.map(({ line }) => line)).toEqual([3, 5])
    for (const { text } of stops) expect(text).toContain('To move without it, give --drop social')
  })

  test('removes its sections if dropped, and reports each of them', () => {
    const { texts, stops, left } = moveAll({ 'a.ts': config }, true)
    expect(stops).toEqual([])
    expect(texts['a.ts']).toContain("sections: [[{ type: 'email' }]]")
    expect(texts['a.ts']).toContain('createConfig({ chain })')
    expect(left.map(toLine)).toEqual([
      expect.stringMatching(/^3 sign-in by google is removed from the dialog: people who have no other way in/),
      expect.stringMatching(/^3 sign-in by apple is removed from the dialog/),
      expect.stringMatching(/^5 remove this sign-in by google/),
    ])
  })

  test('names its hooks if dropped', () => {
    const { stops, left } = moveAll({ 'a.ts': `import { useAddOauthProvider } from '@account-kit/react'` }, true)
    expect(stops).toEqual([])
    expect(left.map(toLine)).toEqual([expect.stringContaining('1 useAddOauthProvider of @account-kit/react: remove')])
  })
})
