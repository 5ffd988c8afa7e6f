import type { Db } from '../store/openStore.ts'
import { returnToken, takeToken, takeTokens } from '../store/takeToken.ts'
import { createBatcher } from './createBatcher.ts'

type Token = Omit<takeToken.Parameters, 'table'>

/** `takeToken` among custody's own limits: the signer API, which runs beside it, cannot give one back. */
export function takeCustodyToken(db: Db, token: Token): Promise<takeToken.ReturnType> {
  return takeToken(db, { ...token, table: 'custody_limits' })
}

/** `returnToken` among custody's own limits. */
export function returnCustodyToken(db: Db, token: Token): Promise<void> {
  return returnToken(db, { ...token, table: 'custody_limits' })
}

/** Takes tokens of one limit by key, many at a time: signatures need one each. */
export function createTokenTaker(db: Db, limit: Omit<Token, 'key'>): (key: string) => Promise<takeToken.ReturnType> {
  return createBatcher((keys: readonly string[]) => takeTokens(db, keys, { ...limit, table: 'custody_limits' }))
}
