import { expect, test } from 'latchkey-dev/vitest'

test('a call is sponsored, and refused while the policy does not pay', async ({ wallet, faults }) => {
  const ada = await wallet.as('ada')
  expect(await ada.send({ target: ada.address })).toBeSponsored()
  await faults.begin('paymaster-refuses')
  expect(await ada.send({ target: ada.address })).toHaveReverted('does not pay')
})

test('the faults of a test end with it, and its people stay', async ({ wallet }) => {
  const ada = await wallet.as('ada')
  expect(await ada.send({ target: ada.address })).toBeIncluded()
})
