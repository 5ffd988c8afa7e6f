import { expect, test } from 'vitest'
import type { PasskeyPort, PasskeyStampParameters, Platform } from '../../../web/platform.ts'
import { createPasskeys } from './createPasskeys.ts'

test('names the transports of a passkey created here, and none of another', async () => {
  const stamped: PasskeyStampParameters[] = []
  const port: PasskeyPort = {
    create: async () => ({
      challenge: 'AA',
      attestation: { credentialId: 'own', attestationObject: 'AA', clientDataJson: 'AA', transports: [] },
      transports: ['usb'],
    }),
    stamp: async (parameters) => {
      stamped.push(parameters)
      return { authenticatorData: '', clientDataJson: '', credentialId: '', signature: '' }
    },
  }
  const platform = { passkeys: port } as Partial<Platform> as Platform
  const passkeys = createPasskeys({ platform, sessionSignal: () => new AbortController().signal })
  await passkeys.create({})
  for (const credentialId of ['own', 'other', undefined]) await passkeys.stamper({ credentialId })('{}')
  expect(stamped.map(({ transports }) => transports)).toEqual([['usb'], undefined, undefined])
})
