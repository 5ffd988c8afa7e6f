import { type RefusalCause, refusalCauses, refusalNumbers, refusalPhrases } from 'latchkey-protocol'
import type { Hex } from 'viem'
import { toContractError } from '../../accounts/errors/ContractRevertedError.ts'
import { decodeRevert } from '../../accounts/errors/decodeRevert.ts'
import { type RpcError, readRevertData, type toRpcError } from '../../accounts/errors/RpcError.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { RpcClient } from '../client/types.ts'
import { type Attempt, readAttempt } from './readAttempt.ts'
import { type Explained, readFigures, wasIncluded } from './readFigures.ts'
import { UserOperationRefusedError } from './UserOperationRefusedError.ts'

export declare namespace explainFailure {
  /** Failed call. `error`: the failure as a viem error. */
  type Options = toRpcError.Options & { client: RpcClient; method: string; params: readonly unknown[]; error: unknown }
  type ReturnType = BaseError
}

/** Timeout for reading the figures from the chain. */
const patienceMs = 5000

/** Explains why a service refused an operation, with the table of causes and the operation's figures. */
export async function explainFailure(
  failure: RpcError,
  options: explainFailure.Options,
): Promise<explainFailure.ReturnType> {
  const { client, method, params, error } = options
  const attempt = readAttempt(method, params)
  const found = findCause(failure, error, attempt)
  if (!found) return failure.code === 'RPC_FAILED' ? toContractError(error, options) : failure
  const { name, cause, reason } = found
  // The account's own revert reason is more specific than the EntryPoint's code.
  if (name === 'AA23' && reason) return toContractError(error, options)
  const { isIncluded, lines, figures } = attempt ? await readInTime(client, attempt, found) : nothing
  if (isIncluded) return included(failure, options)
  return new UserOperationRefusedError(reason ? `${cause.what.replace(/\.$/, '')}: ${reason}` : cause.what, {
    code: cause.code,
    metaMessages: [...lines, cause.hint, options.action],
    details: failure.text,
    rpcCode: failure.rpcCode,
    failure: name,
    figures,
  })
}

type Found = { name: string | undefined; cause: RefusalCause; reason: string | undefined }
type Reading = Explained & { isIncluded: boolean }

const nothing: Reading = { isIncluded: false, lines: [], figures: {} }

function findCause(failure: RpcError, error: unknown, attempt: Attempt | undefined): Found | undefined {
  // Errors with another code come from the gateway, and their messages are complete.
  if (failure.code !== 'RPC_FAILED') return undefined
  const { text, rpcCode } = failure
  const data = readRevertData(error) ?? (/\b0x(?:[0-9a-f]{2}){4,}\b/i.exec(text)?.[0] as Hex | undefined)
  const phrase = refusalPhrases.find(({ pattern }) => pattern.test(text))
  if (phrase) return { name: undefined, cause: phrase, reason: undefined }
  const inData = decodeRevert(data)?.text
  const said = [text, inData ?? ''].find((each) => /\bAA\d\d\b/.test(each))
  const isPostOp = /PostOpReverted/.test(`${text} ${inData}`)
  const name = said ? /\bAA\d\d\b/.exec(said)?.[0] : isPostOp ? 'AA50' : refusalNumbers[rpcCode ?? 0]
  const cause = name === undefined ? undefined : refusalCauses[name]
  if (!cause || (cause.entryPoint && attempt?.version && cause.entryPoint !== attempt.version)) return undefined
  return { name, cause, reason: readReason(said) }
}

/** Returns the contract's revert reason, which follows the EntryPoint's text. */
function readReason(said: string | undefined): string | undefined {
  const reason =
    /\bAA\d\d[^:]*?reverted: (.+)$/.exec(said ?? '')?.[1] ?? /\bAA\d\d reverted\): (.+)$/.exec(said ?? '')?.[1]
  if (!reason || /^0x$|\(or OOG\)/.test(reason)) return undefined
  return reason.startsWith('0x') ? decodeRevert(reason)?.text : reason
}

/** EntryPoint codes for resending an operation that is already in a block. */
const codesOfIncluded: readonly (string | undefined)[] = ['AA10', 'AA25']

async function readInTime(client: explainFailure.Options['client'], attempt: Attempt, found: Found): Promise<Reading> {
  const read = async (): Promise<Reading> => {
    const { figures } = found.cause
    const [isIncluded, explained] = await Promise.all([
      codesOfIncluded.includes(found.name) ? wasIncluded(client, attempt) : false,
      figures ? readFigures(client, attempt, figures) : nothing,
    ])
    return { ...explained, isIncluded }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Reading>((resolve) => {
    timer = setTimeout(() => resolve(nothing), patienceMs)
  })
  try {
    return await Promise.race([read(), late])
  } catch {
    return nothing
  } finally {
    clearTimeout(timer)
  }
}

function included(failure: RpcError, { action }: explainFailure.Options): BaseError {
  return new UserOperationRefusedError('This operation is already in a block.', {
    code: 'USER_OPERATION_INCLUDED',
    metaMessages: ['It ran once and will not run again. Get its receipt by its hash.', action],
    details: failure.text,
    rpcCode: failure.rpcCode,
    failure: undefined,
    figures: {},
  })
}
