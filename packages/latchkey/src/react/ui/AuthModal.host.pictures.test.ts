import { authModalSteps } from '@latchkey/testkit/react/authModalSteps'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { expect, test } from 'vitest'

const stage = setAuthModal()
const { atStep } = stage

/** Element styles as in app templates and CSS resets. */
const hostStyles = `
  :root { color: #fff; background: #242424; letter-spacing: 0.2em; line-height: 3; text-transform: uppercase; }
  body, #root { text-align: center; text-indent: 1em; white-space: pre; cursor: crosshair; }
  * { margin: 7px; padding: 7px; }
  h1, h2 { color: #f0f; font-size: 3.2em; letter-spacing: -0.1em; text-shadow: 0 0 3px red; }
  p, b, label, details, summary, pre, div { color: #0f0; font-style: italic; border: 1px solid; }
  a { color: #646cff; font-weight: 900; text-decoration: line-through; }
  button { padding: 2em; border: 3px solid red; border-radius: 0; background: #1a1a1a; color: #ff0; font: 30px serif; transition: all 1s; }
  button:hover, button:focus, button:focus-visible, a:hover { border-color: #646cff; outline: 4px auto red; transform: scale(2); }
  input { padding: 3em; border: 5px dotted; background: #333; color: #eee; font: 30px monospace; }
  input:focus { background: #f00; }
  dialog { width: 90vw; max-width: 90vw; padding: 3em; }
  form { display: inline; margin: 4em; }`

const readStyles = () =>
  stage.page.evaluate(() =>
    [...document.querySelectorAll('dialog, dialog *')].map((element) => {
      const style = getComputedStyle(element)
      const name = `${element.tagName} ${element.getAttribute('class')}`
      return [name, ...[...style].map((property) => `${property}: ${style.getPropertyValue(property)}`)]
    }),
  )

test('ignores element styles of the host page', async () => {
  for (const step of ['initial', 'failed', 'code_refused', 'passkey_failed', 'passkey_create', 'account_deleting'])
    await atStep(step, async (page) => {
      const plain = await readStyles()
      await page.addStyleTag({ content: hostStyles })
      const hosted = await readStyles()
      const changed = hosted.map((style, index) => style.filter((line) => !plain[index]?.includes(line)))
      expect({ step, changed: changed.filter((lines) => lines.length > 0) }).toEqual({ step, changed: [] })
    })
})

test('wraps a long header next to Close', async () => {
  await atStep(
    `initial&header=${'Sign in to the wallet of the Donaudampfschifffahrtsgesellschaft '.repeat(2)}`,
    async (page) => {
      const title = await page.getByRole('heading', { level: 2 }).boundingBox()
      const close = await page.getByRole('button', { name: 'Close' }).boundingBox()
      const field = await page.getByRole('textbox', { name: 'Email' }).boundingBox()
      if (!title || !close || !field) throw new Error('Not on the page.')
      expect(title.x + title.width).toBeLessThanOrEqual(close.x)
      expect(title.y + title.height).toBeLessThanOrEqual(field.y)
      expect(title.height).toBeGreaterThan(40)
    },
  )
})

test('mirrors Close and Back from right to left', async () => {
  await atStep('passkey_failed', async (page) => {
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl'
    })
    const back = page.getByRole('button', { name: 'Back' })
    const [right, left] = [await back.boundingBox(), await page.getByRole('button', { name: 'Close' }).boundingBox()]
    expect(right?.x ?? 0).toBeGreaterThan(left?.x ?? Number.POSITIVE_INFINITY)
    expect(await back.locator('svg').evaluate((element) => getComputedStyle(element).scale)).toBe('-1 1')
  })
})

test('names every step by its heading, without axe violations in light, dark and forced colors', async () => {
  await atStep('initial', async (page) => {
    for (const [step, title] of authModalSteps) {
      await stage.show(step)
      await page.getByRole('dialog', { name: title }).waitFor()
      const light = await findViolations(page)
      // Dark mode changes colors only.
      await page.emulateMedia({ colorScheme: 'dark' })
      const dark = await findViolations(page, ['color-contrast'])
      // With forced colors, no information may depend on color.
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
      const forced = await findViolations(page)
      await page.emulateMedia({ forcedColors: 'none' })
      expect({ step, light, dark, forced }).toEqual({ step, light: [], dark: [], forced: [] })
      const overflow = await page.evaluate(() => {
        const outside = (element: Element) => element.scrollWidth - element.clientWidth
        const fields = [...document.querySelectorAll('dialog .lk-card > *, dialog input')]
        const card = document.querySelector('dialog .lk-card')?.getBoundingClientRect().right ?? 0
        const right = Math.max(...fields.map((element) => element.getBoundingClientRect().right))
        return [outside(document.documentElement), outside(document.querySelector('dialog') as Element), right < card]
      })
      expect({ step, overflow }).toEqual({ step, overflow: [0, 0, true] })
    }
  })
})
