import { errorCodes } from 'latchkey-protocol'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { getCallsStatus } from './callsStatus.ts'
import type { WalletContext } from './context.ts'
import { getCapabilities, prepareCalls, sendPreparedCalls } from './prepareCalls.ts'
import { listAccounts, requestAccount } from './requestAccount.ts'
import { createSession } from './sessions.ts'
import { formatSign, prepareSign } from './signing.ts'

type WalletMethod = (context: WalletContext, params: unknown) => unknown

/** The wallet API (`docs/wire/wallet.md`). Its calls specify their chain, so the URL may omit it. */
export const walletMethods: ReadonlyMap<string, WalletMethod> = new Map<string, WalletMethod>([
  ['wallet_requestAccount', requestAccount],
  ['wallet_listAccounts', listAccounts],
  ['wallet_prepareCalls', prepareCalls],
  ['wallet_sendPreparedCalls', sendPreparedCalls],
  ['wallet_getCallsStatus', getCallsStatus],
  ['wallet_getCapabilities', getCapabilities],
  ['wallet_prepareSign', prepareSign],
  ['wallet_formatSign', formatSign],
  ['wallet_createAccount', refuse('Use wallet_requestAccount.')],
  ['wallet_createSession', createSession],
  ['wallet_requestQuote_v0', refuse('This server trades nothing.')],
  ['wallet_getCrossChainStatus_v0', refuse('Calls are of one chain each. Use wallet_getCallsStatus.')],
])

function refuse(reason: string): WalletMethod {
  return () => {
    throw new RpcError(`The method is not served here. ${reason}`, {
      code: errorCodes.METHOD_NOT_SUPPORTED,
      rpcCode: rpcCodes.methodNotFound,
    })
  }
}
