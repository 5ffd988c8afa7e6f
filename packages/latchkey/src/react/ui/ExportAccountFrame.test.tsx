import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { ExportAccountFrame, toCss } from './ExportAccountFrame.tsx'

test('renders an empty container that is hidden before the export', () => {
  const render = (isExported: boolean) =>
    renderToStaticMarkup(<ExportAccountFrame containerId="place" className="mine" isExported={isExported} />)
  expect(render(false)).toBe('<div id="place" class="mine" style="display:none"></div>')
  expect(render(true)).toBe('<div id="place" class="mine" style="display:block"></div>')
})

test('applies iframeCss to its own frame only', () => {
  const markup = renderToStaticMarkup(
    <ExportAccountFrame containerId="place" iframeCss={{ minHeight: '120px' }} isExported />,
  )
  expect(markup).toContain('<style>[id="place"] iframe{min-height:120px;}</style>')
})

describe('toCss', () => {
  test('converts vendor prefixes and custom properties, and skips missing values', () => {
    const style = { WebkitTextStroke: '1px', '--theirOwn': 'red', color: undefined }
    expect(toCss(style)).toBe('-webkit-text-stroke:1px;--theirOwn:red;')
  })
})
