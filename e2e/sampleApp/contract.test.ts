import { expect, test } from 'latchkey-dev/vitest'

test('sponsors a call, and refuses it while the policy does not pay', async ({ wallet, faults }) => {
  const ada = await wallet.as('ada')
  expect(await ada.send({ target: ada.address })).toBeSponsored()
  await faults.begin('paymaster-refuses')
  expect(await ada.send({ target: ada.address })).toHaveReverted('does not pay')
})

test('ends the faults of a test and keeps its people', async ({ wallet }) => {
  const ada = await wallet.as('ada')
  expect(await ada.send({ target: ada.address })).toBeIncluded()
})

test('signs a person up from a script, closes a prompt and signs in to the same account', async ({
  wallet,
  passkey,
}) => {
  const device = passkey.addSoftware({ counts: true, verifiesUser: false })
  const ada = await wallet.signIn({ passkey: device })
  expect(await ada.send({ target: ada.address })).toBeSponsored()
  await ada.signer.disconnect()
  device.setMood('cancels')
  await expect(wallet.signIn({ passkey: device })).rejects.toMatchObject({ code: 'PASSKEY_CANCELLED' })
  device.setMood('agrees')
  expect(await wallet.signIn({ passkey: device })).toMatchObject({ address: ada.address })
  const grace = await wallet.signIn({ passkey: device, username: 'Grace' })
  expect([grace.address === ada.address, device.ids().length]).toEqual([false, 2])
})
