import { expect, test } from 'latchkey-dev/playwright'

test('the server renders the signed-in user, and no user without a session', async ({ page, request, wallet }) => {
  const { email = '' } = await wallet.as('ada')
  await page.goto('/')
  await expect(page.getByText(email)).toBeVisible()
  const response = await page.reload()
  expect(await response?.text()).toContain(email)
  expect(await (await request.get('/')).text()).toContain('<button type="button"')
})
