import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { reviewTexts, startReview } from '@latchkey/testkit/frames/startReview'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from './launchChromium.ts'
import { launchFirefox } from './launchFirefox.ts'
import { launchWebKit } from './launchWebKit.ts'

// Shows a signature under review in every engine and language.

const engines = {
  chromium: () => launchChromium('ordinary'),
  firefox: () => launchFirefox(5),
  webkit: launchWebKit,
} as const

let review: Awaited<ReturnType<typeof startReview>>
let axe: string
beforeAll(async () => {
  review = await startReview()
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
})
afterAll(() => review?.close())

/** Returns how far elements reach over a page of 360 px; windows of some engines are wider at least. */
const overflow = `(() => {
  const { style } = document.documentElement
  style.width = '360px'
  const over = Math.max(...[...document.querySelectorAll('main, main *')].map((each) => each.getBoundingClientRect().right))
  style.width = ''
  return Math.max(0, Math.round(over - 360))
})()`
/** Starts axe and returns at once, since a driver may not wait for promises. */
const startAxe = `(window.axe.run().then(({ violations, passes }) => {
  window.faults = passes.length === 0 ? ['nothing was checked'] : violations.map(({ id }) => id)
}), null)`

test.each(Object.entries(engines))('shows a review in five languages in %s', async (_, launch) => {
  const engine = await launch()
  try {
    for (const [language, [title, label, act, refuse, accept, done]] of Object.entries(reviewTexts)) {
      const tab = await engine.openTab()
      await tab.goto(await review.openReview(language))
      expect(await tab.readWhen({ role: 'heading', name: title }, title)).toBe(title)
      const text = await tab.evaluate<string>('document.querySelector("main").innerText')
      for (const part of [label, act, refuse, accept]) expect(text).toContain(part)
      expect([language, await tab.evaluate<number>(overflow)]).toEqual([language, 0])
      await tab.evaluate(`(() => { ${axe} ; return null })()`)
      await tab.evaluate(startAxe)
      await expect.poll(() => tab.evaluate<string[] | null>('window.faults ?? null')).toEqual([])
      await tab.press({ role: 'button', name: accept })
      await tab.readWhen({ role: 'heading', name: done }, done)
    }
  } finally {
    await engine.close()
  }
})
