import { expectTypeOf, test } from 'vitest'
import { type Covered, isGenuine, mac } from './macs.ts'

const key = new Uint8Array(32)
const organization = {
  id: 'id',
  parent_id: null,
  root_quorum_threshold: 1,
  deleted_at: null,
  frozen_at: null,
  spending_rules: null,
}

test('requires every covered column and accepts others', () => {
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

test('covers values outside the row', () => {
  expectTypeOf<Covered<'activity_votes'>>().toHaveProperty('fingerprint')
  expectTypeOf<Covered<'mail_codes'>>().toHaveProperty('code')
})
