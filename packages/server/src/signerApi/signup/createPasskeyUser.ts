import { activityTypes, custodyPaths } from 'latchkey/wire'
import { isAddress } from 'viem'
import { z } from 'zod'
import { type CustodyClient, readAnswer } from '../custody-client/createCustodyClient.ts'
import type { PasskeySignup } from './schema.ts'
import { newWallet } from './wallet.ts'

const answer = z.object({
  createSubOrganizationResultV7: z.object({
    subOrganizationId: z.string(),
    rootUserIds: z.tuple([z.string()]),
    wallet: z.object({ addresses: z.tuple([z.custom<`0x${string}`>((value) => isAddress(String(value)))]) }),
  }),
})

export declare namespace createPasskeyUser {
  type Parameters = {
    /** Parent of the new sub-organization. */
    parentOrgId: string
    passkey: PasskeySignup
    requestId: string
  }
  type ReturnType = { orgId: string; userId: string; address: `0x${string}` }
}

/**
 * Makes a user who has nothing but a passkey, with a sub-organization and a wallet. Custody verifies the registration
 * and refuses a passkey that has been registered (`CREDENTIAL_CONFLICT`).
 */
export async function createPasskeyUser(
  custody: CustodyClient,
  { parentOrgId, passkey, requestId }: createPasskeyUser.Parameters,
): Promise<createPasskeyUser.ReturnType> {
  const name = `passkey-${Date.now()}`
  const authenticator = { authenticatorName: name, challenge: passkey.challenge, attestation: passkey.attestation }
  const written = custody.write(activityTypes.createSubOrganization, parentOrgId, {
    subOrganizationName: name,
    rootUsers: [{ userName: name, apiKeys: [], authenticators: [authenticator], oauthProviders: [] }],
    rootQuorumThreshold: 1,
    wallet: newWallet,
  })
  const { result } = await custody.submit(custodyPaths.createSubOrganization, written, requestId)
  const { subOrganizationId, rootUserIds, wallet } = readAnswer(answer, result).createSubOrganizationResultV7
  return { orgId: subOrganizationId, userId: rootUserIds[0], address: wallet.addresses[0] }
}
