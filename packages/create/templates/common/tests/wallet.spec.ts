import { expect, test } from 'latchkey-dev/playwright'

test('a new person signs up by email', async ({ page, inbox }) => {
  // Waits for the scripts: a server-rendered page ignores earlier clicks.
  await page.goto('/', { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill('grace@example.com')
  await page.keyboard.press('Enter')
  await page.locator('input[autocomplete="one-time-code"]').fill(await inbox.waitForCode('grace@example.com'))
  // The dialog also contains the user's name.
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByText('grace@example.com')).toBeVisible()
})

test('an operation is sponsored', async ({ page, wallet }) => {
  const { address } = await wallet.as('ada')
  await page.goto('/')
  await page.getByRole('button', { name: 'Send an operation' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Included' })).toBeVisible()
  expect(await wallet.send({ target: address })).toBeSponsored()
})
