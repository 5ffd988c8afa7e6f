import { describe, expect, test } from 'vitest'
import { moveProject } from './moveProject.ts'

const versions = { version: '1.2.3', viem: '2.57.1' }

function moveAll(files: Record<string, string>) {
  const list = Object.entries(files).map(([path, text]) => ({ path, text }))
  const { changed, stops, left } = moveProject(list, versions)
  return { texts: Object.fromEntries(changed.map(({ path, text }) => [path, text])), stops, left }
}

const toLine = ({ line, text }: { line: number; text: string }) => `${line} ${text}`

describe('styles', () => {
  const theme = `import { createColorSet, withAccountKitUi } from '@account-kit/react/tailwind'

export default withAccountKitUi({ content: [] }, { colors: { 'btn-primary': createColorSet('#000', '#fff'), odd: x } })
`
  test('moves colors of the Tailwind theme to the UI config', () => {
    const config = `import { createConfig } from '@account-kit/react'\nconst config = createConfig({ chain }, { auth: {} })\n`
    const { texts, left } = moveAll({ 'config.ts': config, 'tailwind.config.ts': theme })
    expect(texts['tailwind.config.ts']).toBe('export default { content: [] }\n')
    expect(texts['config.ts']).toContain("{ auth: {}, tokens: { primary: 'light-dark(#000, #fff)' } } as const")
    expect(left.map(toLine)).toEqual([expect.stringMatching(/^3 the color odd is gone/)])
  })

  test('gives the tokens to an empty UI config', () => {
    const config = `import { createConfig } from '@account-kit/react'\nconst config = createConfig({ chain }, {})\n`
    const { texts } = moveAll({ 'config.ts': config, 'tailwind.config.ts': theme })
    expect(texts['config.ts']).toContain(
      "const uiConfig = { tokens: { primary: 'light-dark(#000, #fff)' } } as const\n\nconst config = createConfig({ chain })",
    )
  })

  test('says which tokens to write without a UI config', () => {
    const { left } = moveAll({ 'tailwind.config.ts': theme })
    expect(left.map(toLine)).toContain(
      "1 give the colors of the theme to the uiConfig of the provider: tokens: { primary: 'light-dark(#000, #fff)' }",
    )
  })

  test('moves imports of style sheets, and names classes, properties and statuses in every file', () => {
    const { texts, left } = moveAll({
      'tailwind.config.ts': theme,
      'a.css': `@import '@account-kit/react/styles.css';\na { color: var(--akui-fg-primary) }\n`,
      'b.tsx': `<a className="akui-btn" />\n<a className="text-fg-primary" />\n<a className="text-primary" />`,
      'c.ts': `status === 'AWAITING_OTP_AUTH'\nstatus === 'AWAITING_SMS_AUTH'\nstatus === 'CONNECTED'`,
    })
    expect(texts['a.css']).toMatch(/^@import 'latchkey\/styles.css';\n/)
    expect(left.filter(({ path }) => path.length < 7).map(({ path, line }) => `${path}:${line}`)).toEqual([
      'a.css:2',
      'b.tsx:1',
      'b.tsx:2',
      'c.ts:1',
      'c.ts:2',
    ])
  })
})
