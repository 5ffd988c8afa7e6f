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
  type Deps = { custody: CustodyClient; rootOrganizationId: string }
  type ReturnType = { orgId: string; userId: string; address: `0x${string}` }
}

/**
 * Makes a user who has nothing but a passkey, with a sub-organization and a wallet. Custody verifies the registration
 * and refuses a passkey that has been registered (`CREDENTIAL_CONFLICT`).
 */
export async function createPasskeyUser(
  { custody, rootOrganizationId }: createPasskeyUser.Deps,
  { challenge, attestation }: PasskeySignup,
): Promise<createPasskeyUser.ReturnType> {
  const name = `passkey-${Date.now()}`
  const authenticator = { authenticatorName: name, challenge, attestation }
  const { result } = await custody.submit(
    custodyPaths.createSubOrganization,
    activityTypes.createSubOrganization,
    rootOrganizationId,
    {
      subOrganizationName: name,
      rootUsers: [{ userName: name, apiKeys: [], authenticators: [authenticator], oauthProviders: [] }],
      rootQuorumThreshold: 1,
      wallet: newWallet,
    },
  )
  const { subOrganizationId, rootUserIds, wallet } = readAnswer(answer, result).createSubOrganizationResultV7
  return { orgId: subOrganizationId, userId: rootUserIds[0], address: wallet.addresses[0] }
}
