import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** The custom properties of the block that follows `selector`. */
function tokens(selector: string): Map<string, string> {
  const start = css.indexOf('{', css.indexOf(selector))
  const block = css.slice(start, css.indexOf('}', start))
  return new Map([...block.matchAll(/--lk-([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]))
}

const light = tokens('[data-theme="light"] {')
const dark = tokens('[data-theme="dark"] {')
const system = tokens(':root:not([data-theme]) {')

/** WCAG 2.2 contrast ratio of two `#rrggbb` colours. */
function contrast(a: string, b: string): number {
  const [hi = 0, lo = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (hi + 0.05) / (lo + 0.05)
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const text = [
  ['ink', 'paper'],
  ['ink', 'canvas'],
  ['ink', 'fill'],
  ['ink-2', 'paper'],
  ['ink-2', 'canvas'],
  ['ink-2', 'fill'],
  ['on-primary', 'primary'],
  ['brass', 'paper'],
  ['ok', 'paper'],
  ['ok', 'ok-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'paper'],
  ['bad', 'bad-soft'],
] as const
const graphics = [
  ['ink-3', 'paper'],
  ['brass', 'brass-soft'],
  ['brass', 'canvas'],
] as const

describe.each([
  ['light', light],
  ['dark', new Map([...light, ...dark])],
] as const)('%s', (_, theme) => {
  test.each(text)('behavior: %s on %s is readable text (AA, 4.5:1)', (front, back) => {
    expect(contrast(theme.get(front) ?? '', theme.get(back) ?? '')).toBeGreaterThanOrEqual(4.5)
  })

  test.each(graphics)('behavior: %s on %s is a visible line (AA, 3:1)', (front, back) => {
    expect(contrast(theme.get(front) ?? '', theme.get(back) ?? '')).toBeGreaterThanOrEqual(3)
  })
})

test('behavior: dark by the system is dark by choice', () => {
  dark.delete('focus')
  expect(system).toEqual(dark)
})

test('default: the dialog is 368 px wide', () => {
  expect(light.get('modal-width')).toBe('368px')
})

test('error: not a colour, or too close', () => {
  expect(contrast('#ffffff', '#fffffe')).toBeLessThan(1.1)
  expect(contrast('', '#ffffff')).toBeNaN()
})
