import { randomUUID } from 'node:crypto'
import { type Hex, hexToBytes } from 'viem'
import type { privateKeyToAccount } from 'viem/accounts'
import { FixtureError } from '../FixtureError.ts'
import { sealExport } from './sealExport.ts'
import { type Attestation, type Passkey, readRegistration } from './verifyWebauthn.ts'

export type Person = {
  email: string | undefined
  orgId: string
  userId: string
  account: ReturnType<typeof privateKeyToAccount>
  walletId: string
  mnemonic: string
  privateKey: Hex
  keys: Map<string, number>
  passkeys: Passkey[]
  verified: boolean
}

export type CustodyFaults = {
  /** How many times `get_activity` returns a pending activity. */
  polls?: number
  /** Status every activity ends with. */
  ends?: string
  /** Changes an export bundle, as someone on the way might. */
  tamper?: (bundle: string) => string
  /** Wallets of other keys, listed before the person's own. */
  otherWallets?: number
  /** Organization every export bundle is signed for, for any caller. */
  exportFor?: string
  /** The person's own wallet is not listed. */
  noWallet?: boolean
}
type Inner = Record<string, unknown>
type Activity = { id: string; organizationId: string; status: string; result: Record<string, unknown> }

/** The calls a page makes to the key-custody service itself, once their stamp was verified. */
export function custodyRoutes(options: { faults: CustodyFaults; pageUrl: () => string; signingKey: string }) {
  const { faults, pageUrl, signingKey } = options
  const activities = new Map<string, { activity: Activity; polls: number; result: Record<string, unknown> }>()
  const submit = (inner: Inner, type: string, result: Record<string, unknown>) => {
    if (inner.type !== type) throw new FixtureError('type of the activity')
    if (Math.abs(Number(inner.timestampMs) - Date.now()) > 60_000) throw new FixtureError('time of the activity')
    const status = faults.polls ? 'ACTIVITY_STATUS_PENDING' : (faults.ends ?? 'ACTIVITY_STATUS_COMPLETED')
    const done = status === 'ACTIVITY_STATUS_COMPLETED'
    const organizationId = String(inner.organizationId)
    const activity = { id: randomUUID(), organizationId, status, result: done ? result : {} }
    activities.set(activity.id, { activity, polls: faults.polls ?? 0, result })
    return { activity }
  }
  const exported = async (target: unknown, organizationId: string, secret: Uint8Array) => {
    const bundle = await sealExport({
      targetPublicKey: String(target),
      organizationId: faults.exportFor ?? organizationId,
      secret,
      signingKey,
    })
    return faults.tamper?.(bundle) ?? bundle
  }

  const routes: Record<string, (person: Person, inner: Inner) => unknown> = {
    '/public/v1/query/get_activity'(person, inner) {
      const entry = activities.get(String(inner.activityId))
      if (!entry || entry.activity.organizationId !== person.orgId) throw new FixtureError('no such activity')
      entry.polls -= 1
      if (entry.polls <= 0) {
        const status = faults.ends ?? 'ACTIVITY_STATUS_COMPLETED'
        entry.activity = { ...entry.activity, status, result: faults.ends ? {} : entry.result }
      }
      return { activity: entry.activity }
    },
    '/public/v1/submit/create_authenticators'(person, inner) {
      const { userId, authenticators } = inner.parameters as {
        userId: string
        authenticators: { attestation: Attestation; authenticatorName: string; challenge: string }[]
      }
      if (userId !== person.userId) throw new FixtureError('no such user')
      for (const { attestation, authenticatorName, challenge } of authenticators) {
        if (!/^passkey-\d{13}$/.test(authenticatorName)) throw new FixtureError('name of the authenticator')
        person.passkeys.push(readRegistration(challenge, attestation, pageUrl()))
      }
      const result = { createAuthenticatorsResult: { authenticatorIds: authenticators.map(() => randomUUID()) } }
      return submit(inner, 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', result)
    },
    '/public/v1/query/list_wallets'(person) {
      const others = Array.from({ length: faults.otherWallets ?? 0 }, (_, index) => `other ${index}`)
      const own = faults.noWallet ? [] : [person.walletId]
      return { wallets: [...others, ...own].map((walletId) => ({ walletId, walletName: 'w' })) }
    },
    '/public/v1/query/list_wallet_accounts'(person, inner) {
      const address = inner.walletId === person.walletId ? person.account.address : `0x${'1'.repeat(40)}`
      return { accounts: [{ walletId: inner.walletId, address }] }
    },
    async '/public/v1/submit/export_wallet'(person, inner) {
      const { walletId, targetPublicKey } = inner.parameters as Record<string, string>
      if (walletId !== person.walletId) throw new FixtureError('no such wallet')
      const secret = new TextEncoder().encode(person.mnemonic)
      const exportBundle = await exported(targetPublicKey, person.orgId, secret)
      return submit(inner, 'ACTIVITY_TYPE_EXPORT_WALLET', { exportWalletResult: { walletId, exportBundle } })
    },
    async '/public/v1/submit/export_wallet_account'(person, inner) {
      const { address, targetPublicKey } = inner.parameters as Record<string, string>
      if (address !== person.account.address) throw new FixtureError('no such account')
      const exportBundle = await exported(targetPublicKey, person.orgId, hexToBytes(person.privateKey))
      return submit(inner, 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', {
        exportWalletAccountResult: { address, exportBundle },
      })
    },
  }
  return routes
}
