import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { addOwner, type LatchkeyAccount, withOwner } from 'latchkey/accounts'
import { bytesToHex, type Hex } from 'viem'
import { toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'

type Client = Parameters<typeof addOwner>[0]

export type PasskeySending = {
  account: LatchkeyAccount
  /** Returns a client that sends operations of an account. */
  connect(account: LatchkeyAccount): Client
  readGas(account: LatchkeyAccount, hash: Hex): Promise<number>
  /** Sends one transfer and returns its gas. */
  transfer(account: LatchkeyAccount): Promise<number>
}

/** Adds a passkey as an owner, which then makes a transfer. */
export async function passkeyRows(sending: PasskeySending): Promise<readonly (readonly [string, number])[]> {
  const { account, connect, readGas, transfer } = sending
  const owner = createPasskey()
  const added = await readGas(account, await addOwner(connect(account), { owner }))
  return [
    ['passkey-add', added],
    ['passkey-transfer', await transfer(await withOwner({ account, owner }))],
  ]
}

/** Returns a software passkey whose assertions have the form of Chromium's. */
function createPasskey(): WebAuthnAccount {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return toWebAuthnAccount({
    credential: { id: 'bench', publicKey: bytesToHex(point) },
    rpId: 'localhost',
    async getFn(options) {
      const challenge = Buffer.from(options?.publicKey?.challenge as Uint8Array).toString('base64url')
      const json = { type: 'webauthn.get', challenge, origin: 'http://localhost:4100', crossOrigin: false }
      const clientDataJSON = Buffer.from(JSON.stringify(json))
      // Hash of the relying party, flags for presence and verification, counter (WebAuthn Level 3, section 6.1).
      const authenticatorData = Buffer.concat([hash('localhost'), Buffer.of(5, 0, 0, 0, 0)])
      const signature = sign('sha256', Buffer.concat([authenticatorData, hash(clientDataJSON)]), privateKey)
      return { id: 'bench', response: { authenticatorData, clientDataJSON, signature } } as never
    },
  })
}

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest()
