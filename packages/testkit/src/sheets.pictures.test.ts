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

test('names only the pictures that differ from the written sheet', async () => {
  vi.stubEnv('LATCHKEY_PICTURES', 'write')
  expect(await findChangedPictures(browser, path, await take('', 'opacity:0.5', ''), 2)).toEqual([])
  vi.stubEnv('LATCHKEY_PICTURES', '')
  expect(await findChangedPictures(browser, path, await take('', 'opacity:0.5', ''), 2)).toEqual([])
  // One picture is moved by three pixels and one is removed.
  const moved = await take('', 'opacity:0.5;margin-left:3px', 'display:none')
  expect(await findChangedPictures(browser, path, moved, 2)).toEqual(['1', '2'])
  // Another rasterizer causes such invisible differences.
  expect(await findChangedPictures(browser, path, await take('opacity:0.98', 'opacity:0.5', ''), 2)).toEqual([])
})

test('names the command that writes a missing sheet', async () => {
  await expect(findChangedPictures(browser, '.cache/none.png', await take(''), 1)).rejects.toThrow(
    'LATCHKEY_PICTURES=write makes it.',
  )
})
