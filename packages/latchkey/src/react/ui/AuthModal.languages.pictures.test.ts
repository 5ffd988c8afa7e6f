import { authModalSteps } from '@latchkey/testkit/react/authModalSteps'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { describe, expect, test } from 'vitest'
import { english } from './texts/english.ts'
import { languages } from './texts/loadLanguage.ts'

const stage = setAuthModal()

const readDialog = () =>
  stage.page.evaluate(() => {
    const dialog = document.querySelector('dialog') as HTMLElement
    const { left, right } = dialog.getBoundingClientRect()
    const elements = [dialog, ...dialog.querySelectorAll<HTMLElement>('*:not(svg *, pre, .lk-unseen)')]
    const wide = elements.filter((element) => {
      const box = element.getBoundingClientRect()
      return element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
        ? getComputedStyle(element).display !== 'inline'
        : box.left < left || box.right > right
    })
    const names = elements.flatMap((element) => ['aria-label', 'placeholder'].map((name) => element.getAttribute(name)))
    const walker = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT)
    const texts: (string | null)[] = []
    while (walker.nextNode())
      if (!walker.currentNode.parentElement?.closest('pre')) texts.push(walker.currentNode.textContent)
    return {
      width: Math.round(right - left),
      wide: wide.map((element) => `${element.className}: ${element.textContent}`),
      texts: [...texts, ...names].flatMap((text) => text?.replace(/Google|Acme/, '').trim() || []),
    }
  })

describe.each([...Object.keys(languages), 'pseudo'])('%s', (locale) => {
  test('fits every step into the dialog without English text', async () => {
    await stage.atStep(`initial&locale=${locale}`, async (page) => {
      const isEnglish = new Set<string>(Object.values(english).map((text) => text.replace('{name}', '')))
      for (const [step] of authModalSteps) {
        await stage.show(step)
        for (const width of [1280, 360]) {
          await page.setViewportSize({ width, height: 800 })
          const read = await readDialog()
          expect(read.texts).not.toEqual([])
          expect({ step, width: read.width, wide: read.wide }).toEqual({
            step,
            width: width === 360 ? 360 : 368,
            wide: [],
          })
          // These words also exist in German or Spanish.
          const rest = read.texts.filter(
            (text) => isEnglish.has(text) && !['Passkey', 'Name', 'Details', 'Error'].includes(text),
          )
          expect({ step, rest }).toEqual({ step, rest: [] })
          // The dictionary does not contain these texts.
          const foreign = read.texts.filter(
            (text) =>
              /[a-z]/i.test(text) &&
              !/^(you@example.com|localhost, today|Latchkey( Dev)?|(Base )?Sepolia|[GA])$/.test(text),
          )
          if (locale === 'pseudo') expect({ step, foreign }).toEqual({ step, foreign: [] })
        }
      }
    })
  })
})

test('passes axe from right to left, with addresses from left to right', async () => {
  await stage.atStep('code_refused&locale=pseudo', async (page) => {
    expect(await findViolations(page)).toEqual([])
    const dialog = page.getByRole('dialog')
    expect(await dialog.getAttribute('lang')).toBe('he')
    expect(await dialog.locator('bdi').evaluate((element) => getComputedStyle(element).direction)).toBe('ltr')
  })
})

test('keeps the direction of English text on a page from right to left', async () => {
  await stage.atStep('email_verify', async (page) => {
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl'
    })
    // The question mark must stay to the right of the words.
    const [mark, word] = await page.locator('.lk-aside').evaluate((element) => {
      const text = element.firstChild as Text
      const edge = (index: number) => {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + 1)
        return range.getBoundingClientRect().left
      }
      return [edge(text.data.indexOf('?')), edge(0)]
    })
    expect(mark).toBeGreaterThan(word ?? Number.POSITIVE_INFINITY)
  })
})
