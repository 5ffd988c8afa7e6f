import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { ExportAccountFrame, toCss } from './ExportAccountFrame.tsx'

test('default: an empty place by its id, not seen before the export is there', () => {
  const render = (isExported: boolean) =>
    renderToStaticMarkup(<ExportAccountFrame containerId="place" className="mine" isExported={isExported} />)
  expect(render(false)).toBe('<div id="place" class="mine" style="display:none"></div>')
  expect(render(true)).toBe('<div id="place" class="mine" style="display:block"></div>')
})

test('param: iframeCss is for the frame of this place alone', () => {
  const markup = renderToStaticMarkup(
    <ExportAccountFrame containerId="place" iframeCss={{ minHeight: '120px' }} isExported />,
  )
  expect(markup).toContain('<style>[id="place"] iframe{min-height:120px;}</style>')
})

describe('toCss', () => {
  test('behavior: vendor prefixes, custom properties, values that are not there', () => {
    const style = { WebkitTextStroke: '1px', '--theirOwn': 'red', color: undefined }
    expect(toCss(style)).toBe('-webkit-text-stroke:1px;--theirOwn:red;')
  })
})
