import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { findChangedPictures, takePicture } from './pictures.ts'

const path = '.cache/pictures-test/sheet.png'
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser({ light: true })
})
afterAll(async () => {
  await browser?.close()
  for (const folder of ['.cache/pictures-test', '.cache/pictures/pictures-test'])
    rmSync(fileURLToPath(new URL(`../../../${folder}`, import.meta.url)), { recursive: true, force: true })
})
afterEach(() => vi.unstubAllEnvs())

async function take(...styles: string[]) {
  const page = await browser.newPage({ viewport: { width: 200, height: 200 } })
  const pictures = []
  for (const [index, style] of styles.entries()) {
    await page.setContent(`<main style="height:120px;background:#fff">
      <div style="width:40px;height:40px;background:rgb(23, 114, 74);${style}"></div></main>`)
    pictures.push(await takePicture(`${index}`, page.locator('main')))
  }
  await page.close()
  return pictures
}

test('default: names what looks otherwise than in the sheet that was written, and nothing else', async () => {
  vi.stubEnv('LATCHKEY_PICTURES', 'write')
  expect(await findChangedPictures(browser, path, await take('', 'opacity:0.5', ''), 2)).toEqual([])
  vi.stubEnv('LATCHKEY_PICTURES', '')
  expect(await findChangedPictures(browser, path, await take('', 'opacity:0.5', ''), 2)).toEqual([])
  // Three pixels to the side, and removed.
  const moved = await take('', 'opacity:0.5;margin-left:3px', 'display:none')
  expect(await findChangedPictures(browser, path, moved, 2)).toEqual(['1', '2'])
  // A shade that no eye sees, as of another rasterizer.
  expect(await findChangedPictures(browser, path, await take('opacity:0.98', 'opacity:0.5', ''), 2)).toEqual([])
})

test('error: a sheet that is missing says how it is made', async () => {
  await expect(findChangedPictures(browser, '.cache/none.png', await take(''), 1)).rejects.toThrow(
    'LATCHKEY_PICTURES=write makes it.',
  )
})
