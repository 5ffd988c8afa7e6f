import { expectTypeOf, test } from 'vitest'
import { type Covered, isGenuine, type MacKind, mac } from './macs.ts'

const key = new Uint8Array(32)
const organization = { id: 'id', parent_id: null, root_quorum_threshold: 1, deleted_at: null, frozen_at: null }

test('a row lacks no covered column, and may have others', () => {
  const named = { ...organization, name: 'Acme' }
  mac(key, 'organizations', named)
  // @ts-expect-error: without `parent_id` the row could be moved to another parent.
  mac(key, 'organizations', { id: 'id', root_quorum_threshold: 1, deleted_at: null })
  // @ts-expect-error: a column of another type.
  mac(key, 'organizations', { ...organization, root_quorum_threshold: '1' })
  // @ts-expect-error: nothing to compare with.
  isGenuine(key, 'organizations', organization)
  // @ts-expect-error: the table has no MAC.
  mac(key, 'wallets', { id: 'id' })
})

test('a MAC also covers what is not in its row', () => {
  expectTypeOf<Covered<'activity_votes'>>().toHaveProperty('fingerprint')
  expectTypeOf<Covered<'mail_codes'>>().toHaveProperty('code')
})

test('kinds', () => {
  expectTypeOf<MacKind>().toEqualTypeOf<
    | 'organizations'
    | 'users'
    | 'credentials'
    | 'wallet_accounts'
    | 'private_keys'
    | 'activities'
    | 'activity_votes'
    | 'confirmations'
    | 'activity_log_heads'
    | 'mail_codes'
  >()
})
