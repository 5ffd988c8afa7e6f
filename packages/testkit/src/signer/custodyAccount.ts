import { custodyPaths, type SignRawPayloadResult } from 'latchkey-protocol'
import { concatHex, type LocalAccount } from 'viem'
import { createViemAccount } from '../../../latchkey/src/signer/actions/signing.ts'
import type { TestCustody } from '../custody.ts'
import { FixtureError } from '../FixtureError.ts'

/** Creates a user whose key is in custody and returns the user's account, like `signer.toViemAccount()`. */
export async function custodyAccount(custody: TestCustody): Promise<LocalAccount> {
  const { orgId, address, email, key } = await custody.createUser()
  const user = { orgId, userId: orgId, email, address } as Parameters<typeof createViemAccount>[0]
  return createViemAccount(user, async ({ hash, content }) => {
    const digest = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP', payload: hash }
    const parameters = { ...(content ?? digest), signWith: address }
    const request = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', orgId, parameters)
    const { status, body } = await custody.call(custodyPaths.signRawPayload.replace('/public/v1/', ''), request, key)
    if (status !== 200) throw new FixtureError(`sign_raw_payload: ${JSON.stringify(body)}`)
    const { r, s, v }: SignRawPayloadResult = body.activity.result.signRawPayloadResult
    return concatHex([`0x${r}`, `0x${s}`, v === '00' ? '0x1b' : '0x1c'])
  })
}
