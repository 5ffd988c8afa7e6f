import { findChangedPictures, loadFonts, type Picture, takePicture } from '@latchkey/testkit/pictures'
import { authModalSteps } from '@latchkey/testkit/react/authModalSteps'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { expect, test } from 'vitest'

const stage = setAuthModal()

test.each([
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)('renders every step as in the reviewed picture, at %i px, %s', async (width, colorScheme) => {
  await stage.atStep('initial', async (page) => {
    await loadFonts(page)
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const pictures: Picture[] = []
    for (const [step, title] of authModalSteps) {
      await stage.show(step)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.waitFor()
      pictures.push(await takePicture(step, dialog))
    }
    const browser = page.context().browser()
    if (!browser) throw new TypeError('a page without a browser')
    expect(
      await findChangedPictures(
        browser,
        `packages/latchkey/src/react/ui/pictures/${width}-${colorScheme}.png`,
        pictures,
        8,
      ),
    ).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
  })
})
