import { upgradeAccount } from '../../../accounts/actions/upgradeAccount.ts'
import { createChunk } from '../../../core/createChunk.ts'
import { dismissOperation, listOperations, watchOperation, watchOperations } from '../../outbox/listOperations.ts'
import { outboxChunk } from '../../outbox/outboxChunk.ts'
import type { SmartAccountActions } from '../types.ts'
import { buildUserOperation, buildUserOperationFromTx, buildUserOperationFromTxs } from './buildUserOperation.ts'
import { checkGasSponsorshipEligibility } from './checkGasSponsorshipEligibility.ts'
import type { ActionContext } from './context.ts'
import { estimateUserOperationGas } from './estimateUserOperationGas.ts'
import { sendTransactions } from './sendTransactions.ts'
import { sendUserOperation, signUserOperation } from './sendUserOperation.ts'
import { simulateUserOperation } from './simulateUserOperation.ts'
import { waitForUserOperationTransaction } from './waitForUserOperationTransaction.ts'

/** Loaded on demand, because operations are rarely replaced. */
const replaceChunk = /* @__PURE__ */ createChunk({
  name: 'replacement',
  import: () => import('./dropAndReplaceUserOperation.ts'),
})

/** Returns a client's actions for its account. */
export function smartAccountActions(context: ActionContext): SmartAccountActions {
  const { account } = context
  const actions: SmartAccountActions = {
    getAddress: async () => account.address,
    buildUserOperation: (parameters) => buildUserOperation(context, parameters),
    buildUserOperationFromTx: (...parameters) => buildUserOperationFromTx(context, ...parameters),
    buildUserOperationFromTxs: (parameters) => buildUserOperationFromTxs(context, parameters),
    signUserOperation: (parameters) => signUserOperation(context, parameters),
    sendUserOperation: (parameters) => sendUserOperation(context, parameters),
    sendTransaction: (transaction, overrides, custom) =>
      sendTransactions(context, { requests: [transaction], overrides, context: custom }),
    sendTransactions: (parameters) => sendTransactions(context, parameters),
    dropAndReplaceUserOperation: async (parameters) =>
      (await replaceChunk.load()).dropAndReplaceUserOperation(context, parameters),
    simulateUserOperation: (parameters) => simulateUserOperation(context, parameters),
    checkGasSponsorshipEligibility: (parameters) => checkGasSponsorshipEligibility(context, parameters),
    waitForUserOperationTransaction: (parameters) => waitForUserOperationTransaction(context, parameters),
    estimateUserOperationGas: (parameters) => estimateUserOperationGas(context, parameters),
    upgradeAccount: (parameters) => upgradeAccount({ smartAccount: account, ...actions }, parameters),
    listOperations: () => listOperations(context),
    watchOperations: (parameters) => watchOperations(context, parameters),
    watchOperation: (parameters) => watchOperation(context, parameters),
    dismissOperation: (parameters) => dismissOperation(context, parameters),
    resumeOperations: async () => (await outboxChunk.load()).resumeOperations(context),
    signMessage: (parameters) => account.signMessage(parameters),
    signTypedData: ({ typedData }) => account.signTypedData(typedData),
    signMessageWith6492: (parameters) => account.signMessageWith6492(parameters),
    signTypedDataWith6492: ({ typedData }) => account.signTypedDataWith6492(typedData),
  }
  return actions
}
