import type { GetSpendingRulesResponse, SpendingRules } from 'latchkey-protocol'
import type { User } from '../signer/types.ts'
import type { WaitOptions } from '../signer/WaitOptions.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { neverQueued, signerMutation } from './configMutation.ts'
import type { ConfigQuery } from './queries.ts'
import { requireSigner } from './requireSigner.ts'

export declare namespace getSpendingRulesQueryOptions {
  /** User of the config. It is part of the query key. */
  type Parameters = { user: User | null }
  type ReturnType = ConfigQuery<GetSpendingRulesResponse>
}

/**
 * Returns the options of the query behind `useSpendingRules`, which reads the user's limits and the amounts spent in
 * the last 24 hours. In a passkey session, the query prompts the user.
 *
 * @throws `SIGNER_NOT_CONNECTED`, `CLIENT_ONLY`, `SIGNER_NOT_AUTHENTICATED`, `PASSKEY_CANCELLED`, `HTTP_FAILED`,
 * `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { getSigner } from 'latchkey'
 * import { getSpendingRulesQueryOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { queryFn } = getSpendingRulesQueryOptions(config, { user: getSigner(config)?.user ?? null })
 * const { rules, spending } = await queryFn()
 * console.log(rules?.limits, spending)
 * ```
 */
export function getSpendingRulesQueryOptions(
  config: LatchkeyConfig,
  { user }: getSpendingRulesQueryOptions.Parameters,
): getSpendingRulesQueryOptions.ReturnType {
  return {
    ...neverQueued,
    queryKey: ['latchkey', 'spendingRules', user?.orgId, user?.userId],
    retry: false,
    queryFn: async () => requireSigner(config).getSpendingRules(),
  }
}

export declare namespace setSpendingRulesMutationOptions {
  /** `rules`: new spending rules; null removes the current rules. */
  type Variables = { rules: SpendingRules | null; wait?: WaitOptions | undefined }
}

/**
 * Returns the options of the mutation behind `useSpendingRules`, which changes the user's limits. The change takes
 * effect once the user has confirmed it by email.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` if
 * the sign-in is not recent enough; `HTTP_FAILED` if custody refuses the rules.
 *
 * @example
 * ```ts
 * import { setSpendingRulesMutationOptions } from 'latchkey/query'
 * import { parseEther } from 'viem'
 * import { config } from './config.ts'
 *
 * const limits = [{ chainId: 1, token: 'native', perDay: String(parseEther('0.1')) }] as const
 * const { mutationFn } = setSpendingRulesMutationOptions(config)
 * await mutationFn({ rules: { limits, unlisted: 'review', recipients: null } })
 * ```
 */
export const setSpendingRulesMutationOptions = /* @__PURE__ */ signerMutation(
  'setSpendingRules',
  (signer, { rules, wait }: setSpendingRulesMutationOptions.Variables) => signer.setSpendingRules(rules, wait),
)
