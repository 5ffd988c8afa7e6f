import type { DeletionDetail } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { HttpError } from '../../../core/errors/HttpError.ts'
import { AccountDeletingError } from '../../errors/custodyErrors.ts'
import type { PendingDeletion } from '../../pending.ts'
import { activity, type CustodyApi, type Stamper } from './createCustodyApi.ts'
import { createPending, type Pending } from './createPending.ts'

export type Deletions = Pick<Pending<PendingDeletion>, 'current' | 'follow'> & {
  /**
   * Watches a request. If custody refuses it because the account is being deleted, offers to cancel the deletion with
   * `stamp`.
   */
  watch<result>(request: Promise<result>, stamp: Stamper): Promise<result>
  end(): void
}

/** Tracks the latest refused request of an account that is being deleted. Its stamper can cancel the deletion. */
export function createDeletions({ custodyApi }: { custodyApi: CustodyApi }): Deletions {
  const pending = createPending<PendingDeletion>()
  let end = () => {}
  return {
    ...pending,
    end: () => end(),
    async watch(request, stamp) {
      try {
        return await request
      } catch (error) {
        const found = readDeletion(error)
        if (!found) throw error
        const dueAtMs = Number(found.deletionDueAtMs)
        end()
        end = pending.begin({
          dueAtMs,
          async cancel(options) {
            await custodyApi.submit(activity('cancelDeletion', found.organizationId, {}), stamp, options?.signal)
            end()
          },
        })
        throw new AccountDeletingError(dueAtMs, error as BaseError)
      }
    },
  }
}

function readDeletion(error: unknown): DeletionDetail | undefined {
  const refusal = error instanceof BaseError ? error.walk((cause) => cause instanceof HttpError) : null
  const details: unknown = (refusal as HttpError | null)?.serverDetails
  if (!Array.isArray(details)) return undefined
  return details.find((detail: Partial<DeletionDetail> | null) => detail?.organizationId && detail.deletionDueAtMs)
}
