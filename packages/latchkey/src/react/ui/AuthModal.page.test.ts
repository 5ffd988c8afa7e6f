import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { describe, expect, test } from 'vitest'

const stage = setAuthModal()
const { atStep } = stage

test('shows a spinner after 300 ms over the label without moving anything', async () => {
  for (const [idle, busy, name] of [
    ['initial', 'submitting', 'Continue'],
    ['passkey_create', 'passkey_adding', 'Continue'],
    ['email_code', 'code_checking', 'Reading it on another device? Enter the code from the email.'],
  ] as const)
    await atStep(idle, async (page) => {
      const read = () =>
        page
          .getByLabel(name)
          .or(page.getByRole('button', { name }))
          .evaluate((element) => {
            const text = document.createRange()
            text.selectNodeContents(element.querySelector(':scope > span') ?? element)
            const edges = ({ top, bottom, left, right }: DOMRect) => [top, bottom, left, right].map(Math.round)
            const spinner = element.closest('button, .lk-code-field')?.querySelector('.lk-spin')
            const delays = spinner?.getAnimations().map((animation) => animation.effect?.getTiming().delay) ?? []
            return { box: edges(element.getBoundingClientRect()), text: edges(text.getBoundingClientRect()), delays }
          })
      const before = await read()
      await stage.show(busy)
      await page.locator('.lk-spin').waitFor({ state: 'attached' })
      const after = await read()
      expect({ busy, box: after.box, text: after.text }).toEqual({ busy, box: before.box, text: before.text })
      expect({ busy, before: before.delays, isLate: after.delays.includes(300) }).toEqual({
        busy,
        before: [],
        isLate: true,
      })
    })
})

test('explains that a sign-in waits for a second mail, and can cancel it', async () => {
  await atStep('confirming', async (page) => {
    await page.getByText(/You have until \d.* to confirm\./).waitFor()
    await page.getByText('Open the link we sent to you@example.com.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.title()).toBe('ended')
  })
})

test('resends that mail, reports a refusal and allows another try', async () => {
  await atStep('confirming&to=ann@gmail.com', async (page) => {
    await page.getByRole('link', { name: 'Open Gmail' }).waitFor()
    await page.evaluate(() => {
      document.title = 'refuse'
    })
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByRole('alert').filter({ hasText: 'Too many mails.' }).waitFor()
    await page.evaluate(() => {
      document.title = ''
    })
    await page.getByRole('button', { name: 'Resend' }).click()
    const done = page.getByRole('button', { name: 'Done!' })
    await done.waitFor()
    expect(await done.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Resend' }).waitFor()
  })
})

describe('an account that is being deleted', () => {
  const buttons = () => stage.page.getByRole('dialog').getByRole('button').allTextContents()

  test('offers only to cancel the deletion, and leads to the form', async () => {
    await atStep('account_deleting', async (page) => {
      await page.getByText(/It will be gone for good on .*2026/).waitFor()
      expect(await buttons()).toEqual(['', 'Keep my account'])
      await page.getByRole('button', { name: 'Keep my account' }).click()
      const kept = page.getByRole('heading', { name: "Your account won't be deleted" })
      await kept.waitFor()
      expect(await kept.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('textbox', { name: 'Email' }).waitFor()
    })
  })

  test('leads to a new mail when the session may not cancel it', async () => {
    await atStep('account_deleting', async (page) => {
      await page.evaluate(() => {
        document.title = 'refuse'
      })
      await page.getByRole('button', { name: 'Keep my account' }).click()
      await page.getByRole('alert').filter({ hasText: 'For your safety, sign in again first.' }).waitFor()
      expect(await buttons()).toEqual(['', 'Keep my account', 'Get a new email'])
    })
    await atStep('deleting_by_mail', async (page) => {
      expect(await buttons()).toEqual(['', 'Get a new email'])
      await page.getByRole('button', { name: 'Get a new email' }).click()
      await page.getByRole('textbox', { name: 'Email' }).waitFor()
    })
  })
})

describe('mail code', () => {
  const field = 'Reading it on another device? Enter the code from the email.'

  test('submits once with the last digit, also when pasted with spaces', async () => {
    await atStep('email_code', async (page) => {
      const input = page.getByRole('textbox', { name: field })
      await input.fill('12345678')
      expect(await page.title()).toBe('Test')
      await input.fill('123 456 789')
      await page.waitForFunction(() => document.title === '123456789')
      expect(await input.getAttribute('readonly')).not.toBe(null)
    })
  })

  test('focuses an empty field, also after a refused Resend', async () => {
    for (const step of ['email_code', 'resend_refused'])
      await atStep(step, async (page) => {
        const input = page.getByRole('textbox', { name: field })
        await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true)
        expect(await input.getAttribute('placeholder')).toBe(null)
        expect(await input.getAttribute('autocomplete')).toBe('one-time-code')
        expect(await page.getByRole('alert').count()).toBe(step === 'email_code' ? 0 : 1)
      })
  })

  test('reports a refused code at the field and allows another', async () => {
    await atStep('code_refused', async (page) => {
      const input = page.getByRole('textbox', {
        name: field,
        description: "That code isn't right. 4 tries left.",
      })
      await input.pressSequentially('987654321')
      await page.waitForFunction(() => document.title === '987654321')
      await page.getByRole('alert').waitFor({ state: 'detached' })
    })
  })

  test('clears a refused code and keeps the focus; a pasted code replaces what is typed', async () => {
    await atStep('email_code', async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate(() => navigator.clipboard.writeText('987-654 321'))
      const input = page.getByRole('textbox', { name: field })
      await page.keyboard.type('123456789')
      await page.waitForFunction(() => document.title === '123456789')
      await stage.show('code_refused')
      await expect.poll(() => input.inputValue()).toBe('')
      expect(await input.getAttribute('aria-invalid')).toBe('true')
      expect(await input.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.keyboard.type('12')
      expect(await input.getAttribute('aria-invalid')).toBe('false')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ControlOrMeta+v')
      await page.waitForFunction(() => document.title === '987654321')
      expect(await input.inputValue()).toBe('987654321')
    })
  })
})

describe('passkey', () => {
  test('asks for the name of a new account and proposes one', async () => {
    await atStep('initial', async (page) => {
      await page.getByRole('link', { name: 'Create a passkey account' }).click()
      const name = page.getByRole('textbox', { name: 'Name' })
      await expect.poll(() => name.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await name.inputValue()).toBe('localhost, today')
      await name.fill('  Ada, at home ')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Verify passkey' }).waitFor()
      expect(await page.title()).toBe('Ada, at home')
    })
    await atStep('passkey_new', async (page) => {
      await page.getByRole('textbox', { name: 'Name' }).fill(' ')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForFunction(() => document.title === 'localhost, today')
    })
  })

  test('shows a closed prompt without a failure, and Retry as the primary button', async () => {
    await atStep('passkey_none', async (page) => {
      const dialog = page.getByRole('dialog')
      expect(await dialog.getByRole('alert').count()).toBe(0)
      expect(await dialog.locator('.lk-button-primary').allTextContents()).toEqual(['Retry'])
      await dialog.getByRole('button', { name: 'Retry' }).click()
      await dialog.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' })
    })
  })

  test('shows a failure with Retry, a new passkey and support, and clears it on another try', async () => {
    for (const name of ['Retry', 'Create a new passkey'])
      await atStep('passkey_failed', async (page) => {
        const dialog = page.getByRole('dialog')
        expect(await dialog.getByRole('alert').textContent()).toContain('ErrorThe operation was cancelled')
        const support = dialog.getByRole('link', { name: 'Contact support' })
        expect(await support.getAttribute('href')).toBe('./support')
        await dialog.getByRole('button', { name }).click()
        await dialog.getByRole('alert').waitFor({ state: 'detached' })
      })
  })
})

describe('recovery after a sign-up by passkey', () => {
  const title = 'Add a backup'

  test('focuses the address, sends its mail on Enter and waits for the confirmation', async () => {
    await atStep('recovery_create', async (page) => {
      const field = page.getByRole('textbox', { name: 'Email' })
      await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await field.getAttribute('autocomplete')).toBe('email')
      await field.fill('you@')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('Must provide a valid email.').waitFor()
      await field.fill(' you@example.com ')
      await page.keyboard.press('Enter')
      await expect.poll(() => field.getAttribute('readonly')).not.toBe(null)
      expect(await page.getByRole('button', { name: 'Skip' }).isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: 'Add another passkey' }).isDisabled()).toBe(true)
    })
    await atStep('recovery_confirming', async (page) => {
      await page.getByText('Open the link we sent to you@example.com.').waitFor()
      await page.getByRole('button', { name: 'Resend' }).waitFor()
    })
  })

  test('returns from the wait to the address, or skips it', async () => {
    await atStep('recovery_confirming', async (page) => {
      await page.getByRole('button', { name: 'Back' }).click()
      expect(await page.title()).toBe('ended')
      const field = page.getByRole('dialog', { name: title }).getByRole('textbox', { name: 'Email' })
      expect(await field.inputValue()).toBe('you@example.com')
      expect(await page.getByRole('alert').count()).toBe(0)
    })
    await atStep('recovery_confirming', async (page) => {
      await page.getByRole('button', { name: 'Skip' }).click()
      expect(await page.title()).toBe('ended')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    })
  })
})

test('gives fingers 44 px on every button', async () => {
  const { browser } = stage
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 640 } })
  const page = await context.newPage()
  for (const step of ['initial', 'email_code', 'passkey_none']) {
    await page.goto(stage.urlOf(step))
    await page.locator('.lk-card').waitFor()
    const small = await page.getByRole('dialog').evaluate((dialog) => {
      const isHit = (button: Element, x: number, y: number) => button.contains(document.elementFromPoint(x, y))
      return [...dialog.querySelectorAll('button')].flatMap((button) => {
        const { left, right, top, bottom } = button.getBoundingClientRect()
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        const reach = 21
        const points = [
          [x - reach, y] as const,
          [x + reach, y] as const,
          [x, y - reach] as const,
          [x, y + reach] as const,
        ]
        return points.every(([a, b]) => isHit(button, a, b)) ? [] : [button.textContent || button.ariaLabel]
      })
    })
    expect({ step, small }).toEqual({ step, small: [] })
  }
  await context.close()
})

// This test is last in the file, because later tests would also use the fake clock.
test('says Done! for two seconds after a mail was sent again', async () => {
  await atStep('confirming', async (page) => {
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 5_000)
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByRole('button', { name: 'Done!' }).waitFor()
    await page.clock.runFor(1_999)
    expect(await page.getByRole('button', { name: 'Done!' }).count()).toBe(1)
    await page.clock.runFor(1)
    await page.getByRole('button', { name: 'Resend' }).waitFor()
  })
})
